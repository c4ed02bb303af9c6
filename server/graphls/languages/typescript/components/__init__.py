"""Components: files that hold a script, and a template that uses what the script binds (Vue, Svelte, Astro).

Owns: script blocks, code in templates, the component that such a file exports.
Must not know: other files, disk, settings, how code is read once it is a tree.
Invariant: offsets are those of the whole file; what a template leaves open has no meaning here.
"""
