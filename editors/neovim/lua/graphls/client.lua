-- Client: requests to the server of a buffer.
--
-- Owns: finding the client, subjects of questions, what becomes of errors.
-- Invariant: an error is told once, in the words of the server, and never as a traceback.

local M = {}

--- The client of a buffer, of the buffer that a view was opened from, or any.
---@return vim.lsp.Client|nil
function M.of(buffer)
  local asked = vim.b[buffer or 0].graphls_client
  local shown = asked and vim.lsp.get_client_by_id(asked)
  local get = vim.lsp.get_clients
  return shown or get({ name = "graphls", bufnr = buffer or 0 })[1] or get({ name = "graphls" })[1]
end

function M.tell(text, level)
  vim.notify("graphls: " .. text, level or vim.log.levels.INFO)
end

local function missing()
  if vim.fn.executable(require("graphls.config").options.cmd[1]) == 0 then
    M.tell("the server was not found. See :checkhealth graphls.", vim.log.levels.ERROR)
  else
    M.tell("no server runs for this buffer. Open a source file, or see :checkhealth graphls.", vim.log.levels.WARN)
  end
end

local function announced(client, method)
  local experimental = client.server_capabilities.experimental or {}
  return vim.list_contains((experimental.graphls or {}).methods or {}, method)
end

--- What a question is about: a written symbol, or what is under the cursor.
function M.subject(symbol)
  if symbol and symbol ~= "" then
    return vim.startswith(symbol, "n:") and { node = symbol } or { symbol = symbol }
  end
  local client = M.of(0)
  return vim.lsp.util.make_position_params(0, client and client.offset_encoding or "utf-16")
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

--- Ask; `answered(result, client)` is called with an answer only.
---@param again fun(subject: table)|nil asked anew with another subject when the first is ambiguous
function M.ask(method, params, answered, again)
  local client = M.of(0)
  if not client then
    return missing()
  end
  if not announced(client, method) then
    return M.tell(("this server does not answer %s. See :checkhealth graphls."):format(method), vim.log.levels.ERROR)
  end
  local function done(error_, result)
    if error_ then
      if not choose(error_, again) then
        M.tell(error_.message or "no answer", vim.log.levels.WARN)
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

--- Show the place of a node or a location.
function M.open(uri, range, client)
  local location = { uri = uri, range = range }
  local encoding = client and client.offset_encoding or "utf-16"
  if vim.lsp.util.show_document then
    vim.lsp.util.show_document(location, encoding, { focus = true })
  else
    vim.lsp.util.jump_to_location(location, encoding)
  end
end

return M
