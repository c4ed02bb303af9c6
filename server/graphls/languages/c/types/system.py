"""System: names that the standard library of C and POSIX declare.

Owns: which names programs often write macros of, for systems that lack them.
Must not know: the workspace.
Invariant: a name that is not listed decides nothing. Names that programs write macros of for every system (`assert`,
    `isspace`) are not listed.
"""

from __future__ import annotations

import re
from typing import Final

SYSTEM_NAMES: Final = frozenset((
    "abort", "accept", "access", "alarm", "asctime", "atof", "atoi", "atol", "bind", "bsearch", "bzero", "calloc",
    "ceil", "chdir", "chmod", "chown", "clock", "close", "closedir", "connect", "creat", "ctime", "dup", "dup2",
    "errno", "execl", "execlp", "execv", "execve", "execvp", "exit", "fabs", "fclose", "fcntl", "fdopen", "ferror",
    "fflush", "fgetc", "fgets", "fileno", "floor", "flockfile", "fopen", "fork", "fprintf", "fputc", "fputs",
    "fread", "free", "freopen", "fscanf", "fseek", "fseeko", "fstat", "fsync", "ftell", "ftello", "ftruncate",
    "funlockfile", "fwrite", "getc", "getchar", "getcwd", "getenv", "getgid", "gethostbyname", "gethostname",
    "getopt", "getpagesize", "getpass", "getpeername", "getpid", "getppid", "getpwnam", "getpwuid", "getsockname",
    "getsockopt", "gettimeofday", "getuid", "gmtime", "gmtime_r", "htonl", "htons", "inet_ntop", "inet_pton",
    "ioctl", "isatty", "isfinite", "isinf", "isnan", "kill", "link", "listen", "localtime", "localtime_r", "lseek",
    "lstat", "malloc", "memchr", "memcmp", "memcpy", "memmem", "memmove", "mempcpy", "memset", "mkdir", "mkstemp",
    "mktemp", "mktime", "mmap", "munmap", "nanosleep", "ntohl", "ntohs", "open", "opendir", "pclose", "perror",
    "pipe", "poll", "popen", "pread", "printf", "pthread_create", "pthread_join", "pthread_self", "putc", "putchar",
    "puts", "putenv", "pwrite", "qsort", "raise", "rand", "random", "read", "readdir", "readlink", "realloc",
    "realpath", "recv", "recvfrom", "recvmsg", "regcomp", "regexec", "regfree", "remove", "rename", "rewind",
    "rewinddir", "rmdir", "scanf", "select", "send", "sendmsg", "sendto", "setenv", "setlocale", "setsockopt",
    "setvbuf", "shutdown", "sigaction", "signal", "signbit", "sigprocmask", "sleep", "snprintf", "socket",
    "socketpair", "sprintf", "sqrt", "srand", "sscanf", "stat", "strcasecmp", "strcasestr", "strcat", "strchr",
    "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strftime", "strlcat", "strlcpy",
    "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strrchr", "strsep",
    "strsignal", "strspn", "strstr", "strtod", "strtok", "strtok_r", "strtol", "strtoll", "strtoul", "strtoull",
    "strtoumax", "symlink", "sysconf", "system", "tempnam", "tmpfile", "truncate", "tzset", "umask", "uname",
    "ungetc", "unlink", "unsetenv", "usleep", "utime", "utimes", "vfprintf", "vprintf", "vsnprintf", "vsprintf",
    "wait", "waitpid", "write", "writev", "AF_INET6", "AF_LOCAL", "AF_UNIX", "DIR", "EOF", "INT_MAX", "INT_MIN",
    "LONG_MAX", "NULL", "O_CLOEXEC", "O_NONBLOCK", "PATH_MAX", "SIZE_MAX", "SSIZE_MAX", "S_IFDIR", "S_IFLNK",
    "S_IFMT", "S_IFREG", "S_ISDIR", "S_ISLNK", "S_ISREG", "S_ISBLK", "S_ISCHR", "S_ISFIFO", "S_ISSOCK", "S_IFBLK",
    "S_IFCHR", "S_IFIFO", "S_IFSOCK", "S_IRGRP", "S_IROTH", "S_IRUSR", "S_IRWXG", "S_IRWXO", "S_IRWXU", "S_ISGID",
    "S_ISUID", "S_ISVTX", "S_IWGRP", "S_IWOTH", "S_IWUSR", "S_IXGRP", "S_IXOTH", "S_IXUSR", "timeradd",
    "timerclear", "timercmp", "timerisset", "_PATH_BSHELL", "_PATH_DEFPATH", "_PATH_DEV", "_PATH_DEVNULL",
    "_PATH_TMP", "_PATH_TTY", "_PATH_VI", "UINT_MAX", "dirent", "offsetof", "timersub", "POLLERR", "POLLHUP",
    "POLLIN", "POLLNVAL", "POLLOUT", "POLLPRI", "POLLRDBAND", "POLLRDNORM", "POLLWRBAND", "POLLWRNORM",
    "STDERR_FILENO", "STDIN_FILENO", "STDOUT_FILENO", "DBL_DIG", "DBL_EPSILON", "DBL_MAX", "DBL_MAX_10_EXP",
    "DBL_MAX_EXP", "DBL_MIN", "EXIT_FAILURE", "EXIT_SUCCESS", "FLT_MAX", "FLT_RADIX",
))  # fmt: skip
_PATTERN: Final = re.compile(
    r"S_I[A-Z]+|[FRWX]_OK|SIG[A-Z]{2,5}[0-9]?|SA_[A-Z]+|CLOCK_[A-Z_]+|IPV6_[A-Z_]+|NI_MAX[A-Z]+|IFF_[A-Z]+|CMSG_[A-Z]+"
    r"|FNM_[A-Z]+|O_[A-Z]+|(?:HOST_|TTY_|LOGIN_)?NAME_MAX|IOV_MAX|ARG_MAX|AF_[A-Z0-9]+|SOCK_[A-Z]+|IPPROTO_[A-Z0-9]+"
    r"|TCP_[A-Z]+|SHUT_(?:RD|WR|RDWR)|POSIX_[A-Z_]+|LOCK_(?:SH|EX|NB|UN)|MAP_ANON(?:YMOUS)?|MSG_NOSIGNAL|SO_[A-Z]+"
    r"|PRI[diouxX](?:8|16|32|64|PTR|MAX)|U?INT(?:8|16|32|64|PTR|MAX)_(?:MAX|MIN|C)|SUN_LEN|WAIT_ANY|ACCESSPERMS|IMAXBEL"
    r"|pthread_[a-z_]+|EPOLL[A-Z_]+|(?:__NR|SYS)_[a-z0-9_]+|U?LLONG_(?:MAX|MIN)|ECHOPRT|E(?:2BIG|ACCES|ADDRINUSE|ADDRNOTAVAIL|AFNOSUPPORT|AGAIN|ALREADY|BADF|BUSY|CANCELED|CONNABORTED|CONNREFUSED"
    r"|CONNRESET|DOM|EXIST|FAULT|FBIG|HOSTUNREACH|ILSEQ|INPROGRESS|INTR|INVAL|IO|ISCONN|ISDIR|LOOP|MFILE|MSGSIZE"
    r"|NAMETOOLONG|NETUNREACH|NFILE|NOBUFS|NOENT|NOEXEC|NOMEM|NOSPC|NOSYS|NOTCONN|NOTDIR|NOTEMPTY|NOTSOCK|NOTSUP|OVERFLOW"
    r"|PERM|PIPE|PROTO|RANGE|ROFS|SPIPE|SRCH|TIMEDOUT|WOULDBLOCK|XDEV)"
)
"""Names that systems declare and programs declare again where one is missing."""
LATE_NAMES: Final = frozenset({"strlcat", "strlcpy"})
"""Functions that many systems lack: programs that declare them mean their own."""


def is_system_macro(name: str) -> bool:
    """Whether a macro of a program has the name of one of the system."""
    return name in SYSTEM_NAMES or _PATTERN.fullmatch(name) is not None
