-- Lists: answers as quickfix lists.
--
-- Owns: entries and titles.
-- Invariant: entries keep the order of the answer; columns are those of the buffer, in bytes.

local client = require("graphls.client")
local words = require("graphls.words")

local M = {}

---@param location lsp.Location
---@param text string|nil
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@param kind string|nil
---@return vim.quickfix.entry
local function entry(location, text, encoding, kind)
  local item = assert(vim.lsp.util.locations_to_items({ location }, encoding)[1]) ---@type vim.quickfix.entry
  item.text = text or item.text
  item.type = kind
  item.user_data = nil
  return item
end

---@param title string
---@param items vim.quickfix.entry[]
local function show(title, items)
  if #items == 0 then
    return client.tell(title .. ": nothing found")
  end
  vim.fn.setqflist({}, " ", { title = "graphls: " .. title, items = items })
  vim.cmd("botright copen")
end

---@param title string
---@param locations lsp.Location[]|nil
function M.locations(title, locations)
  local running = client.of(0)
  local encoding = client.encoding(running)
  local items = vim.tbl_map(function(location)
    return entry(location, nil, encoding)
  end, locations or {})
  show(title, items)
end

---@param subject graphls.Subject
---@param downstream boolean|nil
function M.impact(subject, downstream)
  local params = vim.tbl_extend("force", subject, {
    direction = downstream and "downstream" or "upstream",
    minConfidence = require("graphls.config").options.min_confidence,
  })
  client.ask("graph/impact", params, function(answer, running)
    local seed = answer.seeds[1]
    if not seed then
      return client.tell("nothing that can be changed stands here", vim.log.levels.WARN)
    end
    local items = {}
    for _, one in ipairs(answer.affected) do
      if one.node.uri then
        local kind = one.test and "test" or words.kind(one.node)
        local text = ("%d %s %s  %s %s"):format(one.depth, one.via, words.sure(one.confidence), kind, one.node.symbol)
        table.insert(
          items,
          entry({ uri = one.node.uri, range = one.node.range or client.START }, text, client.encoding(running))
        )
      end
    end
    show(("impact of %s (%s)"):format(seed.symbol, words.standing(answer)), items)
  end, function(other)
    M.impact(other, downstream)
  end)
end

---@param node graphls.Node
---@param text string
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@return vim.quickfix.entry|nil
local function place(node, text, encoding)
  if node.uri then
    return entry({ uri = node.uri, range = node.range or client.START }, text, encoding)
  end
end

---What to read first.
---@param scope string|nil
function M.tour(scope)
  client.ask("graph/tour", { scope = scope or "" }, function(answer, running)
    local items = {} ---@type vim.quickfix.entry[]
    for _, stop in ipairs(answer.stops) do
      local why = stop.count > 0 and ("%s (%s)"):format(stop.why, words.counted(stop.count, "module")) or stop.why
      local text = ("%s: %s %s"):format(why, words.kind(stop.node), stop.node.symbol)
      table.insert(items, place(stop.node, text, client.encoding(running)))
    end
    show(("what to read first (%s)"):format(words.standing(answer)), items)
  end)
end

---Routes, tools, commands and jobs, each at what handles it.
---@param scope string|nil
---@param tests boolean|nil those of tests too
function M.entries(scope, tests)
  client.ask("graph/entries", { scope = scope or "", tests = tests }, function(answer, running)
    local items = {} ---@type vim.quickfix.entry[]
    for _, one in ipairs(answer.entries) do
      local handlers = #one.handlers > 0 and one.handlers or { one.node }
      for _, handler in ipairs(handlers) do
        local text = ("%s %s  %s"):format(words.kind(one.node), one.node.name, handler.symbol)
        table.insert(items, place(handler, text, client.encoding(running)))
      end
    end
    show(("routes, tools and commands (%s)"):format(words.standing(answer)), items)
  end)
end

local TYPES = { P1 = "E", P2 = "W", P3 = "W", info = "I" }

---@param scope string|nil
function M.findings(scope)
  client.ask("graph/findings", { scope = scope or "" }, function(answer, running)
    local items = {}
    for _, found in ipairs(answer.findings) do
      for number, evidence in ipairs(found.evidence) do
        local head = ("%s %s: %s"):format(found.priority, found.rule, found.title)
        local text = number == 1 and head or ("   %s"):format(evidence.note)
        local kind = number == 1 and TYPES[found.priority] or nil
        table.insert(items, entry(evidence.location, text, client.encoding(running), kind))
      end
    end
    local failed = #answer.failures > 0 and ", could not finish: " .. table.concat(answer.failures, ", ") or ""
    local left = answer.filesLeftOut
    local made = left > 0 and (", generated or vendored files left out: %d"):format(left) or ""
    local counted = words.counted(#answer.findings, "finding")
    show(("%s (%s%s%s)"):format(counted, words.standing(answer), failed, made), items)
  end)
end

---@param subject graphls.Subject
---@param target string|nil
function M.trace(subject, target)
  local params = { source = subject, target = target and client.subject(target) or nil, includeSites = true }
  client.ask("graph/trace", params, function(answer, running)
    local nodes, items = {}, {} ---@type table<string, graphls.Node>, vim.quickfix.entry[]
    for _, node in ipairs(answer.nodes) do
      nodes[node.id] = node
    end
    for number, path in ipairs(answer.paths) do
      for step, edge in ipairs(path.edges) do
        local source, sink = assert(nodes[path.nodes[step]]), assert(nodes[path.nodes[step + 1]])
        local link = ("%s %s %s  %s"):format(source.symbol, edge.kind, sink.symbol, words.mark(edge))
        local text = ("%d.%d %s"):format(number, step, link)
        local site = (edge.sites or {})[1] or { uri = source.uri, range = source.range or client.START }
        if site.uri then ---@cast site lsp.Location
          table.insert(items, entry(site, text, client.encoding(running)))
        end
      end
    end
    local gave_up = answer.exhausted and "" or ", the search gave up"
    show(words.counted(#answer.paths, "path") .. gave_up, items)
  end)
end

return M
