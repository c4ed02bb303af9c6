-- Client: requests to the server of a buffer.
--
-- Owns: finding the client, subjects of questions, what becomes of errors.
-- Invariant: an error is told once, in the words of the server, and never as a traceback.

local M = {}

--- Where a file begins: what has no range of its own is shown there.
---@type lsp.Range
M.START = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 0 } }

--- The client of a buffer, of the buffer that a view was opened from, or any.
---@param buffer integer|nil
---@return vim.lsp.Client|nil
function M.of(buffer)
  local asked = vim.b[buffer or 0].graphls_client
  local shown = asked and vim.lsp.get_client_by_id(asked)
  local get = vim.lsp.get_clients
  return shown or get({ name = "graphls", bufnr = buffer or 0 })[1] or get({ name = "graphls" })[1]
end

---@param text string
---@param level integer|nil
function M.tell(text, level)
  vim.notify("graphls: " .. text, level or vim.log.levels.INFO)
end

local function missing()
  local command = require("graphls.config").options.cmd[1]
  if not command or vim.fn.executable(command) == 0 then
    M.tell("the server was not found. See :checkhealth graphls.", vim.log.levels.ERROR)
  else
    M.tell("no server runs for this buffer. Open a source file, or see :checkhealth graphls.", vim.log.levels.WARN)
  end
end

--- What a server says of itself beyond the protocol.
---@param client vim.lsp.Client
---@return { methods: string[]|nil }
function M.announced(client)
  local experimental = (client.server_capabilities or {}).experimental ---@type any
  return (experimental or {}).graphls or {}
end

---@param client vim.lsp.Client|nil
---@return "utf-8"|"utf-16"|"utf-32"
function M.encoding(client)
  return client and client.offset_encoding --[[@as "utf-8"|"utf-16"|"utf-32"]] or "utf-16"
end

--- What a question is about: a written symbol, or what is under the cursor.
---@param symbol string|nil
---@return graphls.Subject
function M.subject(symbol)
  if symbol and symbol ~= "" then
    return vim.startswith(symbol, "n:") and { node = symbol } or { symbol = symbol }
  end
  local client = M.of(0)
  return vim.lsp.util.make_position_params(0, M.encoding(client)) --[[@as graphls.Subject]]
end

--- How what the server advises is written here.
local ADVICE = { ["graphls.degraded"] = " That is :Graphls! export." }

---@param error_ lsp.ResponseError
local function said(error_)
  local code = type(error_.data) == "table" and error_.data.code or ""
  return (error_.message or "no answer") .. (ADVICE[code] or "")
end

local function choose(error_, again)
  local candidates = type(error_.data) == "table" and error_.data.candidates or nil
  if not again or not candidates or #candidates == 0 then
    return false
  end
  vim.ui.select(candidates, { prompt = "Which one?" }, function(chosen)
    if chosen then
      again({ symbol = chosen })
    end
  end)
  return true
end

---@alias graphls.Again fun(subject: graphls.Subject)|nil
---@alias graphls.Near graphls.Neighborhood

--- Ask; `answered(result, client)` is called with an answer only.
---@param method string
---@param params table
---@param answered fun(result: any, client: vim.lsp.Client)
---@param again fun(subject: graphls.Subject)|nil asked anew with another subject when the first is ambiguous
---@overload fun(_: "graph/neighborhood", p: table, f: fun(a: graphls.Near, c: vim.lsp.Client), o: graphls.Again)
---@overload fun(_: "graph/impact", p: table, f: fun(a: graphls.Impact, c: vim.lsp.Client), o: graphls.Again)
---@overload fun(_: "graph/findings", p: table, f: fun(a: graphls.Findings, c: vim.lsp.Client))
---@overload fun(_: "graph/trace", p: table, f: fun(a: graphls.Trace, c: vim.lsp.Client))
---@overload fun(_: "graph/contextPack", p: table, f: fun(a: graphls.Pack, c: vim.lsp.Client))
---@overload fun(_: "graph/export", p: table, f: fun(a: graphls.Export, c: vim.lsp.Client))
---@overload fun(_: "graph/status", p: table, f: fun(a: graphls.Status, c: vim.lsp.Client))
function M.ask(method, params, answered, again)
  local client = M.of(0)
  if not client then
    return missing()
  end
  if not vim.list_contains(M.announced(client).methods or {}, method) then
    return M.tell(("this server does not answer %s. See :checkhealth graphls."):format(method), vim.log.levels.ERROR)
  end
  local function done(error_, result)
    if error_ then
      if not choose(error_, again) then
        M.tell(said(error_), vim.log.levels.WARN)
      end
    elseif result then
      answered(result, client)
    end
  end
  -- The number, not 0: for 0 Neovim does not send the changes that it still holds back.
  local buffer = vim.api.nvim_get_current_buf()
  if vim.fn.has("nvim-0.11") == 1 then
    client:request(method, params, done, buffer)
  else
    client.request(method, params, done, buffer) ---@diagnostic disable-line: param-type-mismatch
  end
end

--- Close the window of a view; the last one of all stays, without it.
function M.leave()
  if not pcall(vim.api.nvim_win_close, 0, true) then
    vim.cmd.enew()
  end
end

--- Show the place of a node or a location.
---@param uri string
---@param range lsp.Range|nil
---@param client vim.lsp.Client|nil
function M.open(uri, range, client)
  local location = { uri = uri, range = range or M.START }
  vim.lsp.util.show_document(location, M.encoding(client), { focus = true })
end

return M
