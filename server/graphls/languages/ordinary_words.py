"""Ordinary words: words of configuration that are values far more often than names of code.

Owns: the list.
Must not know: who asks.
Invariant: lower case, five letters or more: shorter words are ordinary anyhow.
"""

from __future__ import annotations

import re
from typing import Final

ORDINARY: Final = frozenset(
    re.findall(
        r"\w+",
        """
        access action active address admin alias allow always amount author basic before binary block boolean branch
        build bundle button cache center change check class clean client close cluster column command commit common
        compile config console container content context count create current custom daily database date debug default
        delete deploy detail develop development device disable docker document domain double email empty enable engine
        entry error event every example export false field filter final first float folder format frame global group
        handler header health hidden hourly image import index infer input install integer internal issue items label
        latest layout legacy level limit linter linux local logger login macos manual master match memory message method
        middle minimal minor mobile model module monthly mount never nightly normal number object offline online open
        option order other output owner package parallel parent parse patch pattern pending ping plain platform plugin
        point policy preview private process product production profile project prune public pull queue random range
        ready record redis region release remote remove render report request require reset resource response restart
        result return right router runner sample schema scope script search second secret secure select server service
        session setup shared signal simple single source split stage staging standard start state static status storage
        store stream strict string style submit success suite switch system table target template test tests text theme
        timeout title token tools total trace track trigger trunk tuple ubuntu unique update upload upper user users
        utils valid value values vendor verbose verify version video visible watch weekly width window windows worker
        write
        """,
    )
)
