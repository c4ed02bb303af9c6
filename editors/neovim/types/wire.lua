---@meta
-- What the server answers, as far as it is read here (docs/lsp-extensions.md). For the type check only.

---@class graphls.Node
---@field id string
---@field kind string
---@field subkind string|nil
---@field name string
---@field symbol string
---@field file string|nil
---@field uri string|nil
---@field range lsp.Range|nil

---@class graphls.Edge
---@field source string
---@field target string
---@field kind string
---@field provenance string
---@field resolution string|nil
---@field confidence number
---@field ambiguous boolean|nil
---@field sites lsp.Location[]|nil

---@class graphls.Standing
---@field revision integer
---@field fresh boolean
---@field complete boolean
---@field truncated boolean
---@field omitted integer
---@field pendingCount integer
---@field unresolvedSites integer

---@class graphls.Neighborhood: graphls.Standing
---@field root graphls.Node
---@field nodes graphls.Node[]
---@field edges graphls.Edge[]

---@class graphls.Affected
---@field node graphls.Node
---@field depth integer
---@field via string
---@field confidence number
---@field test boolean

---@class graphls.Impact: graphls.Standing
---@field seeds graphls.Node[]
---@field affected graphls.Affected[]

---@class graphls.Evidence
---@field note string
---@field location lsp.Location

---@class graphls.Finding
---@field rule string
---@field title string
---@field priority "P1"|"P2"|"P3"|"info"
---@field evidence graphls.Evidence[]

---@class graphls.Findings: graphls.Standing
---@field findings graphls.Finding[]
---@field failures string[]
---@field filesLeftOut integer

---@class graphls.Stop
---@field why string
---@field count integer
---@field node graphls.Node

---@class graphls.Tour: graphls.Standing
---@field stops graphls.Stop[]

---@class graphls.Entry
---@field node graphls.Node
---@field handlers graphls.Node[]

---@class graphls.Entries: graphls.Standing
---@field entries graphls.Entry[]

---@class graphls.Path
---@field nodes string[]
---@field edges graphls.Edge[]

---@class graphls.Trace: graphls.Standing
---@field nodes graphls.Node[]
---@field paths graphls.Path[]
---@field exhausted boolean

---@class graphls.Pack: graphls.Standing
---@field text string|nil
---@field pack { used: integer|nil, budget: integer|nil }

---@class graphls.Export: graphls.Standing
---@field content string|nil
---@field destination string|nil
---@field counts { nodes: integer, edges: integer }

---@class graphls.Checker
---@field name string
---@field version string
---@field state string
---@field asked integer
---@field answered integer
---@field problem string

---@class graphls.Session
---@field checkers graphls.Checker[]|nil
---@field stage string|nil
---@field done integer|nil
---@field total integer|nil
---@field problems string[]|nil

---@class graphls.Status: graphls.Standing
---@field status { files: integer, indexed: integer, skippedCount: integer|nil, dirty: string[] }
---@field session graphls.Session|nil

--- What a question is about; a field of it is enough.
---@class graphls.Subject
---@field symbol string|nil
---@field node string|nil
---@field textDocument lsp.TextDocumentIdentifier|nil
---@field position lsp.Position|nil

--- libuv has no annotations in Neovim's own runtime.
---@class uv
---@field now fun(): integer
---@field fs_realpath fun(path: string): string|nil
---@field fs_stat fun(path: string): table|nil
---@field fs_unlink fun(path: string): boolean|nil
---@field os_getpid fun(): integer
---@field kill fun(process: integer, signal: string): integer|nil
