"""Standard: what shells and systems bring.

Owns: names of builtins, of programs that nearly every system has, of variables that the shell sets.
Must not know: the workspace.
Invariant: a function of the workspace that a script can see comes before any of these.
"""

from __future__ import annotations

from typing import Final

COMMANDS: Final = frozenset((
    ".", ":", "[", "[[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
    "compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false",
    "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd",
    "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend",
    "test", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait", "apk",
    "apt", "apt-get", "ar", "as", "awk", "base64", "basename", "bash", "bc", "brew", "bunzip2", "bzip2", "cargo",
    "cat", "cc", "chgrp", "chmod", "chown", "cksum", "clang", "cmake", "cmp", "comm", "conda", "cp", "curl", "cut",
    "dash", "date", "dd", "deno", "df", "diff", "dig", "dirname", "dnf", "docker", "dpkg", "du", "egrep", "emacs",
    "env", "exit", "expand", "expr", "fgrep", "file", "find", "fmt", "fold", "free", "g++", "gawk", "gcc", "getent",
    "git", "go", "gpg", "grep", "groups", "gunzip", "gzip", "head", "helm", "hostname", "iconv", "id", "install",
    "ip", "java", "javac", "join", "jq", "killall", "ksh", "kubectl", "ld", "less", "ln", "locale", "ls", "lsof",
    "make", "man", "md5sum", "mkdir", "mkfifo", "mktemp", "more", "mount", "mv", "mvn", "nc", "nice", "nl", "nm",
    "node", "nohup", "npm", "npx", "od", "openssl", "paste", "patch", "perl", "pgrep", "php", "pip", "pip3", "pkill",
    "pnpm", "pr", "ps", "python", "python2", "python3", "rake", "readlink", "realpath", "rm", "rmdir", "rpm", "rsync",
    "ruby", "rustc", "rustup", "scp", "sed", "seq", "service", "sh", "sha1sum", "sha256sum", "sha512sum", "shasum",
    "shuf", "sleep", "sort", "split", "ssh", "stat", "strings", "stty", "su", "sudo", "sum", "sync", "sysctl",
    "systemctl", "tac", "tail", "tar", "tee", "terraform", "timeout", "top", "touch", "tput", "tr", "tsort", "tty",
    "umount", "uname", "unexpand", "uniq", "unzip", "uptime", "useradd", "users", "uuidgen", "vi", "vim", "wc",
    "wget", "which", "who", "whoami", "xargs", "xz", "yarn", "yes", "yum", "zcat", "zip", "zsh",
))  # fmt: skip
VARIABLES: Final = frozenset((
    "BASH", "BASHOPTS", "BASHPID", "BASH_ALIASES", "BASH_ARGC", "BASH_ARGV", "BASH_COMMAND", "BASH_ENV",
    "BASH_LINENO", "BASH_REMATCH", "BASH_SOURCE", "BASH_SUBSHELL", "BASH_VERSINFO", "BASH_VERSION", "COLUMNS",
    "COMP_CWORD", "COMP_LINE", "COMP_POINT", "COMP_WORDBREAKS", "COMP_WORDS", "COMPREPLY", "DIRSTACK", "EDITOR",
    "EUID", "FUNCNAME", "GROUPS", "HISTFILE", "HISTSIZE", "HOME", "HOSTNAME", "HOSTTYPE", "IFS", "LANG", "LC_ALL",
    "LINENO", "LINES", "LOGNAME", "MACHTYPE", "MAPFILE", "OLDPWD", "OPTARG", "OPTERR", "OPTIND", "OSTYPE", "PATH",
    "PIPESTATUS", "PPID", "PROMPT_COMMAND", "PS1", "PS2", "PS4", "PWD", "RANDOM", "REPLY", "SECONDS", "SHELL",
    "SHELLOPTS", "SHLVL", "TERM", "TMPDIR", "UID", "USER",
))  # fmt: skip
