-- Config: how the server is started and how answers are shown.
--
-- Owns: options with their defaults, the configuration of the language client.
-- Invariant: only settings that the user made are sent; the server knows its own defaults.

local M = {}

M.MINIMUM = "0.1.0"
M.FILETYPES = {
  "python",
  "typescript",
  "typescriptreact",
  "javascript",
  "javascriptreact",
  "vue",
  "svelte",
  "astro",
  "go",
  "c",
  "cpp",
  "java",
  "rust",
  "cs",
  "php",
  "incan",
  "kotlin",
  "lua",
  "sh",
  "bash",
  "ruby",
  "swift",
}
-- Documents whose entries are declarations.
M.DOCUMENTS = { "sql", "graphql", "proto" }
M.ROOT_MARKERS = { "graphls.toml", ".git", "pyproject.toml", "setup.cfg", "setup.py", "package.json" }

---@class graphls.Options
---@field cmd string[] command line of the server
---@field settings table the `graphls` section, as in docs/settings.md
---@field view "split"|"vsplit"|"float" where the neighbourhood opens
---@field limit integer how many neighbours are asked for at a time
---@field min_confidence number links that are less sure are left out
---@field restart boolean start the server again when it dies
---@field notify boolean say when the server dies and comes back

---@type graphls.Options
local defaults = {
  cmd = { "graphls", "serve" },
  settings = {},
  view = "vsplit",
  limit = 200,
  min_confidence = 0,
  restart = true,
  notify = true,
}

---@type graphls.Options
M.options = vim.deepcopy(defaults)

---@param options table|nil
function M.choose(options)
  vim.validate({ options = { options, "table", true } })
  for name in pairs(options or {}) do
    if defaults[name] == nil then
      error(("graphls: there is no option %q. See :help graphls-options."):format(name), 0)
    end
  end
  M.options = vim.tbl_extend("force", vim.deepcopy(defaults), options or {})
end

--- File types that the server is started for.
function M.filetypes()
  return vim.list_extend(vim.list_slice(M.FILETYPES), M.DOCUMENTS)
end

--- An empty table would be sent as a list.
local function object(table_)
  return next(table_ or {}) and table_ or vim.empty_dict()
end

--- Configuration for vim.lsp.config and vim.lsp.start.
function M.server()
  local life = require("graphls.life")
  return {
    name = "graphls",
    cmd = M.options.cmd,
    filetypes = M.filetypes(),
    root_markers = M.ROOT_MARKERS,
    settings = { graphls = object(M.options.settings) },
    before_init = function(params, config)
      params.initializationOptions = object((config.settings or {}).graphls)
    end,
    on_attach = life.attached,
    on_exit = life.exited,
    -- A server says nothing of its own to who did not ask for it.
    capabilities = { experimental = { graphls = { notifications = { "graph/didChange" } } } },
    handlers = { ["graph/didChange"] = life.changed },
    commands = {
      ["graphls.showReferences"] = function(command)
        require("graphls.lists").locations("References", command.arguments[3])
      end,
      ["graphls.showEvidence"] = function(command)
        require("graphls.lists").locations(command.arguments[1], command.arguments[2])
      end,
    },
  }
end

return M
