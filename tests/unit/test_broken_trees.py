"""Texts that an edit breaks, of which a tree that was made from the one before says something else than one from
scratch, or code far from the error something else than before: facts are those of a reading from scratch."""

from __future__ import annotations

import logging

import pytest

from graphls.facts.codec import encode
from graphls.facts.paths import FilePath
from graphls.languages.registry import provider_for
from graphls.session.documents import open_files
from graphls.session.documents.document import AppliedChange, TextChange, apply, open_document
from graphls.session.index.extraction import understand

# The error of the tree before ends in the function; from scratch nothing of the file is a statement.
RECOVERED = """\
interface RussianSizable {
  unit: {
  };
}
const error: () => errors.$ZodErrorMap = () => {
  const Sizable: Record<string, RussianSizable> = {
    string: {
      unit: {
      },
      unit: {
      },
    },
  };
  function getSizing(origin: string): RussianSizable | null {
  }
  const FormatDictionary: {
  };
  return (issue) => {
    switch (issue.code) {
      case "invalid_type": {
        if (sizing) {
          const unit = getRussianPlural(maxValue, sizing.unit.one, sizing.unit.few, sizing.unit.many);
          return `Слишком: ${issue.origin ?? "значение"} будет иметь ${adj}${issue.maximum.toString()} ${unit}`;
        }
        return `Слишком: ${issue.origin ?? "значение"} будет ${adj}${issue.maximum.toString()}`;
        if (sizing) {
        }
      }
      case "not_multiple_of":
    }
  };
};
export default function (): { localeError: errors.$ZodErrorMap } {
  return {
  };
}"""
# Behind the error `<T>(context)` is a type assertion, not a function: as many nodes, none of them an error.
AMBIGUOUS = """\
const loadAsyncLocalStorage = (): AsyncLocalStorageLike<RenderStore> | undefined => {
  if (alsProbed) {
  }
  const global = globalThis as unknown as {
  }
  for (const probe of [
  ]) {
    try {
    }
  }
}
const readContextValueIn = <T>(store: RenderStore | undefined, context: Context<T>): T => {
}
  (store ? globalContexts.filter((c) => store.has(c)) : globalContexts).map((c) => [
  ])
const resumeWithContextValues = <T>(
): T =>
  runWithRenderContext(() => {
    const valuesPerContext = contexts.map(([context, value]) => {
    })
    const popContextValues = () => {
      valuesPerContext.forEach((values) => {
        values.pop()
      })
    }
  }, store)
/**
 */
export const useContext = <T>(context: Context<T>): T => {
}
"""
# A file says once what the kind of an object literal is; here a function says it last that nothing refers to.
SAID_ONCE = """\
type ETagOptions = {
}
/**
 */
export const RETAINED_304_HEADERS = [
]
function etagMatches(etag: string, ifNoneMatch: string | null) {
}
function initializeGenerator(
): ETagOptions['generateDigest'] | undefined {
  if (!generator) {
    if (crypto && crypto.subtle) {
      generator = (body: Uint8Array<ArrayBuffer>) =>
        crypto.subtle.digest(
          {
          },
        )
    }
  }
}
/**
 */
export const etag = (options?: ETagOptions): MiddlewareHandler => {
  return async function etag(c, next) {
    if (!etag) {
      if (!generator) {
      }
      const hash = await generateDigest(
      )
    }
    if (matched) {
      c.res = new Response(null, {
        headers: {
        },
      })
      for (const key of Array.from(c.res.headers.keys())) {
        if (retainedHeaders.indexOf(key.toLowerCase()) === -1) {
        }
      }
    } else {
    }
  }
}"""
# Behind the error `<T>(` of the last function is a type assertion, so that what it said in a sound text does not count.
READ_BEFORE = """\
const viewTransitionHook = (
): Promise<void> => {
  return documentStartViewTransition(() => {
    if (lastVC === node.vC) {
    }
  })
}
export const startViewTransition = (callback: () => void): void => {
  try {
  }
  return (stateArray[hookIndex] ||= [
    (newState: T | ((currentState: T) => T)) => {
      if (typeof newState === 'function') {
        if (pendingStack.length) {
          const [pendingType, pendingPromise] = pendingStack.at(-1) as [
          ]
          Promise.all([
            pendingType === 3
              ? node
              : update([pendingType, false, localUpdateHook as UpdateHook], node),
          ]).then(([node]) => {
            const addUpdateTask = () => {
              setTimeout(() => {
              })
            }
          })
        }
      }
    },
  ])
}
export const useReducer = <T, A>(
): [T, (action: A) => void] => {
  const handler = useCallback(
    (action: A) => {
    },
  )
}
const useEffectCommon = (
): void => {
  if (!buildData) {
  }
  if (isDepsChanged(prevDeps, deps)) {
    const runner = () => {
    }
  }
}
export const useInsertionEffect = (
): void => useEffectCommon(4, effect, deps)
export const useCallback = <T extends Function>(callback: T, deps: readonly unknown[]): T => {
  if (isDepsChanged(prevDeps?.[1], deps)) {
  }
}
export function useRef<T>(initialValue?: T | null): RefObject<T | null | undefined> {
  return (props) => {
  }
}
export const useImperativeHandle = <T>(
): void => {
  useEffect(() => {
    return () => {
    }
  }, deps)
}
export const useSyncExternalStore = <T>(
  subscribe: (callback: () => void) => () => void,
  getServerSnapshot?: () => T
): T => {
  useEffect(() => () => unsubscribeRef.current?.(), [])
  return snapshot
}
"""
CUT = RECOVERED[
    RECOVERED.index(", sizing.unit.few") : RECOVERED.index("        return", RECOVERED.index("}\n        return"))
]
MEMBERS = SAID_ONCE[SAID_ONCE.index("\n      for (const key") : SAID_ONCE.index("=== -1) {")]
CASES = {
    "recovered": (RECOVERED, [(CUT, ", sizing.uni \n")]),
    "ambiguous": (AMBIGUOUS, [("        values.pop()", "        venum E { A }\nalues.pop()")]),
    "read before": (READ_BEFORE, [("): void => useEffect", ")): void => useEffect")]),
    "said once": (
        SAID_ONCE,
        [
            (f"{MEMBERS}=== -1) {{", f"// c\n    {MEMBERS}=== -1declare function h(): void;\n) {{"),
            ("=>\n        crypto", "=>\n  export {};\n      crypto"),
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_broken_text_says_what_a_reading_from_scratch_says(
    case: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(open_files, "REUSE_FROM_BYTES", 0)
    monkeypatch.setattr(open_files, "REMEMBER_FROM_BYTES", 0)
    text, edits = CASES[case]
    path = FilePath("a.ts")
    provider = provider_for(path)
    assert provider is not None
    document = open_document("", 0, text, "")
    held = open_files.OpenFile(path, document.data, provider)
    held.parse()
    for version, (before, after) in enumerate(edits, 1):
        now = document.data.decode()
        start = now.index(before)
        places = [
            (now.count("\n", 0, offset), offset - now.rfind("\n", 0, offset) - 1)
            for offset in (start, start + len(before))
        ]
        applied = apply(document, version, [TextChange(after, (places[0], places[1]))], "utf-32")
        assert isinstance(applied, AppliedChange)
        document = applied.document
        held.change(document.data, applied.edits)
        shown, fresh = held.parse(), understand(provider, path, document.data)
        assert shown is not None
        assert encode(shown.facts) == encode(fresh[0])
        assert encode(shown.surface) == encode(fresh[1])
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
