"""Tags: the elements of HTML and SVG that are no components.

Owns: the list of them.
Must not know: anything else.
Invariant: a name in the list is spelled as browsers spell it.
"""

from __future__ import annotations

_WRITTEN = """
a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption cite
code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption
figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label
legend li link main map mark menu meta meter nav noscript object ol optgroup option output p param
picture pre progress q rp rt ruby s samp script search section select small source span strong style
sub summary sup table tbody td template textarea tfoot th thead time title tr track u ul var video
wbr animate animateMotion animateTransform circle clipPath defs desc ellipse filter foreignObject g
image line linearGradient marker mask metadata path pattern polygon polyline radialGradient rect set
stop svg switch symbol text textPath tspan use view font-face color-profile missing-glyph
annotation-xml feBlend feColorMatrix feComposite feFlood feGaussianBlur feMerge feMergeNode feOffset
math
"""
HTML = frozenset(_WRITTEN.split())
