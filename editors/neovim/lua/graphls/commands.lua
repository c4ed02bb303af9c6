-- Commands: `:Graphls` and what follows it.
--
-- Owns: spelling, completion, arguments.
-- Invariant: a wrong word is answered with the right ones.

local client = require("graphls.client")

local M = {}

local FORMATS = { "jsonl", "json", "compact", "dot", "mermaid", "graphml", "svg" }
local STYLES = { "float", "split", "vsplit" }

---@param call vim.api.keyset.create_user_command.command_args
---@param words string[]
local function pack(call, words)
  local wanted, task = { task = "", copy = call.bang }, {} ---@type graphls.PackWanted, string[]
  for _, word in ipairs(words) do
    local name, value = word:match("^(%a+)=(.+)$")
    if name == "budget" then
      local number = tonumber(value)
      wanted.budget = number and math.floor(number)
    elseif name == "format" then
      wanted.format = value
    else
      table.insert(task, word)
    end
  end
  wanted.task = table.concat(task, " ")
  if wanted.task ~= "" then
    return require("graphls.pages").pack(wanted)
  end
  vim.ui.input({ prompt = "Task: " }, function(text)
    if text and text ~= "" then
      wanted.task = text
      require("graphls.pages").pack(wanted)
    end
  end)
end

---@type table<string, fun(call: vim.api.keyset.create_user_command.command_args, words: string[])>
local COMMANDS = {
  neighborhood = function(_, words)
    local style = vim.list_contains(STYLES, words[1]) and table.remove(words, 1) or nil
    require("graphls.near").show(client.subject(words[1]), style)
  end,
  impact = function(call, words)
    require("graphls.lists").impact(client.subject(words[1]), call.bang)
  end,
  trace = function(_, words)
    require("graphls.lists").trace(client.subject(words[2] and words[1] or nil), words[2] or words[1])
  end,
  tour = function(_, words)
    require("graphls.lists").tour(words[1])
  end,
  entries = function(call, words)
    require("graphls.lists").entries(words[1], call.bang)
  end,
  findings = function(_, words)
    require("graphls.lists").findings(words[1])
  end,
  pack = pack,
  export = function(call, words)
    require("graphls.pages").export(words[1] or "jsonl", words[2], call.bang)
  end,
  status = function()
    require("graphls.pages").status()
  end,
  restart = function()
    require("graphls.life").restart()
  end,
  log = function()
    vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.get_log_path()))
    vim.cmd("normal! G")
  end,
}

local function names()
  local found = vim.tbl_keys(COMMANDS)
  table.sort(found)
  return found
end

---@param call vim.api.keyset.create_user_command.command_args
function M.run(call)
  local words = vim.deepcopy(call.fargs)
  local name = table.remove(words, 1) or "status"
  local command = COMMANDS[name]
  if not command then
    local known = table.concat(names(), ", ")
    return client.tell(("there is no command %q. Use one of: %s."):format(name, known), vim.log.levels.ERROR)
  end
  command(call, words)
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local words = vim.split(line, "%s+")
  ---@type string[]
  local offered = #words <= 2 and names() or ({ neighborhood = STYLES, export = FORMATS })[words[2]] or {}
  if #words > 2 and words[2] == "pack" then
    offered = { "budget=", "format=markdown", "format=compact", "format=json" }
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, #words <= 3 and offered or {})
end

return M
