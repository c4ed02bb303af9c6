-- Life: what happens to a server that runs: news of its graph, its death, its return.
--
-- Owns: buffers of each server, restarting with back-off, the words for a status line.
-- Invariant: a server that was stopped on purpose stays stopped; one that keeps dying is given up with advice.

local M = {}

M.FIRST_DELAY = 1000
M.MOST_RESTARTS = 5
M.CALM = 180

local ERROR = vim.log.levels.ERROR

local buffers = {} ---@type table<integer, table<integer, true>>
local revisions = {} ---@type table<integer, integer>
local deaths = {} ---@type number[]
--- What is not started again by itself, with its buffers.
local left = {} ---@type [vim.lsp.ClientConfig, table<integer, true>][]

local shares = {} ---@type table<integer, integer> how far indexing is, while it runs

local function progressed(event)
  local data = event.data or {}
  local client = vim.lsp.get_client_by_id(data.client_id)
  local value = (data.params or data.result or {}).value
  if client and client.name == "graphls" and type(value) == "table" then
    shares[client.id] = value.kind ~= "end" and (value.percentage or 0) or nil
  end
end

vim.api.nvim_create_autocmd("LspProgress", {
  group = vim.api.nvim_create_augroup("graphls_progress", {}),
  callback = progressed,
})

---@param client vim.lsp.Client
---@param buffer integer
function M.attached(client, buffer)
  buffers[client.id] = buffers[client.id] or {}
  buffers[client.id][buffer] = true
end

function M.changed(_, result, context)
  revisions[context.client_id] = result.revision
  vim.api.nvim_exec_autocmds("User", { pattern = "GraphlsChanged", modeline = false, data = result })
end

local function recent()
  local now = vim.uv.now() / 1000
  deaths = vim.tbl_filter(function(at)
    return now - at < M.CALM
  end, deaths)
  table.insert(deaths, now)
  return #deaths
end

---@param text string
---@param level integer
local function tell(text, level)
  if require("graphls.config").options.notify then
    require("graphls.client").tell(text, level)
  end
end

---@param config vim.lsp.ClientConfig
---@param wanted table<integer, true>
local function revive(config, wanted)
  for buffer in pairs(wanted) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      vim.lsp.start(config, { bufnr = buffer })
    end
  end
end

---@param client vim.lsp.Client
---@param wanted table<integer, true>
---@param how string
local function died(client, wanted, how)
  local number = recent()
  local again = require("graphls.config").options.restart and number <= M.MOST_RESTARTS
  if not again then
    table.insert(left, { client.config, wanted })
  end
  if not require("graphls.config").options.restart then
    return tell(("the server stopped (%s). :Graphls restart starts it again."):format(how), ERROR)
  end
  if not again then
    local advice = "the server keeps stopping (%s) and is left alone. See :Graphls log, then :Graphls restart."
    return tell(advice:format(how), ERROR)
  end
  local delay = math.floor(M.FIRST_DELAY * 2 ^ (number - 1))
  tell(("the server stopped (%s); it starts again in %g s."):format(how, delay / 1000), vim.log.levels.WARN)
  vim.defer_fn(function()
    revive(client.config, wanted)
  end, delay)
end

--- 15 is what Neovim sends to a server that it stops by force.
---@param code integer
---@param signal integer
---@param id integer
function M.exited(code, signal, id)
  local wanted = buffers[id] or {}
  buffers[id], revisions[id], shares[id] = nil, nil, nil
  if (code == 0 and signal == 0) or signal == 15 or vim.v.exiting ~= vim.NIL then
    return
  end
  local client = vim.lsp.get_client_by_id(id)
  if not client then
    return
  end
  local how = signal ~= 0 and ("signal " .. signal) or ("exit code " .. code)
  vim.schedule(function()
    if next(wanted) then
      died(client, wanted, how)
    else
      tell(("the server did not start (%s). See :checkhealth graphls and :Graphls log."):format(how), ERROR)
    end
  end)
end

--- Stop the servers and start them again for the same buffers, those that were left alone too.
function M.restart()
  local rest = left
  deaths, left = {}, {}
  local clients = vim.lsp.get_clients({ name = "graphls" })
  for _, client in ipairs(clients) do
    local config, wanted = client.config, buffers[client.id] or {}
    local stop = function()
      vim.lsp.stop_client(client.id)
    end
    stop()
    local tries = 0
    local function once()
      tries = tries + 1
      if tries < 100 and vim.lsp.get_client_by_id(client.id) then
        return vim.defer_fn(once, 50)
      end
      revive(config, wanted)
    end
    once()
  end
  for _, one in ipairs(rest) do
    revive(one[1], one[2])
  end
  if #clients == 0 and #rest == 0 then
    vim.api.nvim_exec_autocmds("FileType", { buffer = 0, modeline = false })
  end
end

---@param buffer integer
---@return string
function M.words(buffer)
  local client = vim.lsp.get_clients({ name = "graphls", bufnr = buffer })[1]
  if not client then
    return ""
  end
  if shares[client.id] then
    return ("graphls %d%%"):format(shares[client.id])
  end
  return revisions[client.id] and ("graphls r%d"):format(revisions[client.id]) or "graphls"
end

return M
