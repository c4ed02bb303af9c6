-- Health: `:checkhealth graphls`.
--
-- Owns: what is checked, and the advice.
-- Invariant: every problem comes with what to do about it.

local config = require("graphls.config")

local M = {}

local function neovim()
  if vim.fn.has("nvim-0.11") == 1 then
    vim.health.ok("Neovim is 0.11 or newer")
  elseif vim.fn.has("nvim-0.10") == 1 then
    vim.health.warn("Neovim is 0.10", { 'Start with require("graphls").setup(); vim.lsp.enable needs 0.11.' })
  else
    vim.health.error("Neovim is older than 0.10", { "Use Neovim 0.11 or newer." })
  end
end

---@param text string
local function version(text)
  local found = text:match("graphls%s+(%S+)")
  return found, found and vim.version.parse(found, { strict = false })
end

---@param command string[]
local function executable(command)
  local path = vim.fn.exepath(command[1] or "")
  if path == "" then
    vim.health.error(("%q was not found"):format(command[1]), {
      "Install it: pipx install graphls, or uv tool install graphls.",
      'Or name it: require("graphls").setup({ cmd = { "path/to/graphls", "serve" } }).',
    })
    return
  end
  vim.health.ok("server: " .. path)
  local asked = { path, unpack(command, 2, #command - 1) }
  table.insert(asked, "--version")
  local started, process = pcall(vim.system, asked, { text = true, timeout = 20000 })
  local answer = started and process:wait() or { code = 1, stdout = "" }
  local text, parsed = version(answer.stdout or "")
  if not parsed then
    vim.health.error("the server does not say its version", { "Run it in a terminal: " .. table.concat(asked, " ") })
  elseif vim.version.lt(parsed, config.MINIMUM) then
    vim.health.error(("version %s is too old"):format(text), { "Update it to " .. config.MINIMUM .. " or newer." })
  else
    vim.health.ok("version " .. text)
  end
end

local function clients()
  local running = vim.lsp.get_clients({ name = "graphls" })
  if #running == 0 then
    vim.health.info("no server runs: it starts with the first file of a language that it reads")
  end
  for _, client in ipairs(running) do
    local methods = #(require("graphls.client").announced(client).methods or {})
    vim.health.ok(("client %d: %s, %d graph requests"):format(client.id, client.root_dir or "no folder", methods))
  end
end

function M.check()
  vim.health.start("graphls")
  neovim()
  local configured = vim.lsp.config and vim.lsp.config.graphls or nil ---@diagnostic disable-line: undefined-field
  local command = configured and configured.cmd or config.options.cmd
  if type(command) == "table" then
    executable(command)
  else
    vim.health.info("the server is started by a function")
  end
  clients()
end

return M
