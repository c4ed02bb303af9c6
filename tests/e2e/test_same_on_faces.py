"""The same symbols asked of the command line, an editor's server and agents: `bench/faces.py` finds no difference."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from e2e.cli_runs import TIMEOUT, environment
from fixture_text import fixture

_BENCH = Path(__file__).parents[2] / "bench" / "faces.py"

PYTHON = fixture(
    """
    --- path: store/items.py ---
    import json

    class Item:
        def __init__(self, price):
            self.price = price

        def total(self):
            return self.price

    class Gift(Item):
        def total(self):
            return super().total() - 1

    def depth(items, level=0):
        return max((depth(item, level + 1) for item in items), default=level)

    def made(prices):
        return [Item(price) for price in prices]

    def loaded(text, how=made):
        return how(json.loads(text))

    def guessed(thing):
        return thing.total() + getattr(thing, "total")()
    --- path: tests/test_items.py ---
    from store.items import Gift, Item as Thing, depth, loaded, made as make

    def one():
        return make([1])[0]

    def test_one():
        assert one().total() == 1

    def test_depth():
        assert depth([[]]) == 2
        assert Gift(2).total() == Thing(1).total()
        assert loaded("[]") == []
    """
)
PYTHON_SYMBOLS = (
    "store.items:depth", "store.items:Item.total"
)  # fmt: skip

JAVASCRIPT = fixture(
    """
    --- path: package.json ---
    {"name": "store", "main": "lib/app.js"}
    --- path: lib/app.js ---
    'use strict'
    const { depth } = require('./depth')

    function build (options) {
      return { inject: (path) => depth(path), options }
    }

    module.exports = build
    --- path: lib/depth.js ---
    'use strict'
    function depth (path, level = 0) {
      return path ? depth(path.slice(1), level + 1) : level
    }

    exports.depth = depth
    --- path: test/app.test.js ---
    'use strict'
    const { test } = require('node:test')
    const make = require('../lib/app')

    function app () {
      return make({})
    }

    test('a path has a depth', () => {
      const server = make({})
      server.inject('/a')
    })

    test('an app', () => {
      app().inject('/')
    })
    """
)
JAVASCRIPT_SYMBOLS = ("lib/app.js:build", "lib/depth.js:depth")


def test_every_face_says_the_same(tmp_path: Path) -> None:
    symbols = PYTHON_SYMBOLS + JAVASCRIPT_SYMBOLS
    for files in (PYTHON, JAVASCRIPT):
        files.write(tmp_path / "store")
    done = subprocess.run(
        [sys.executable, str(_BENCH), str(tmp_path / "store"), "--symbols", ",".join(symbols)],
        capture_output=True,
        env=environment(),
        timeout=TIMEOUT,
        check=False,
    )
    said = done.stdout.decode()
    assert done.returncode == 0, said + done.stderr.decode()
    figures = json.loads(said.splitlines()[0])
    assert (figures["symbols"], figures["differing"]) == (len(symbols), 0)
    assert figures["answers"] > 80 * len(symbols)
