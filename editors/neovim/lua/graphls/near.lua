-- Near: the neighbourhood of a symbol as a list that can be walked.
--
-- Owns: what is open and shown, the keys.
-- Invariant: the lines are a function of the state; every line of a node knows its node.

local client = require("graphls.client")
local words = require("graphls.words")

local M = {}

local HELP = {
  "<CR>  go to the source        o  expand or fold",
  "w     walk: make it the middle  <BS>  walk back",
  "d     direction: both, in, out  e  kinds of links",
  "s     sites to the quickfix     c  least confidence",
  "r     ask again   q  close      ?  this help",
}
local DIRECTIONS = { both = "in", ["in"] = "out", out = "both" }
local CONFIDENCES = { 0, 0.5, 0.8, 1 } ---@type number[]
local HIGHLIGHTS = { arrow = "Operator", kind = "Comment", mark = "Special", name = "Function", place = "Directory" }
local space = vim.api.nvim_create_namespace("graphls")

---@class graphls.Row
---@field node graphls.Node
---@field edge graphls.Edge|nil the middle has none
---@field out boolean|nil
---@field rows graphls.Row[]|nil what is around it, when it is expanded

---@class graphls.Asked
---@field kinds string[]
---@field direction "both"|"in"|"out"
---@field confidence number

---@class graphls.View: graphls.Asked
---@field buffer integer
---@field origin integer the window that it was opened from
---@field answer graphls.Neighborhood
---@field rows graphls.Row[]
---@field trail string[] where walking came from
---@field at table<integer, graphls.Row> rows by their line
---@field help boolean|nil

---@param view graphls.Asked
---@param subject graphls.Subject
local function params_of(view, subject)
  return vim.tbl_extend("force", subject, {
    depth = 1,
    direction = view.direction,
    edgeKinds = view.kinds,
    minConfidence = view.confidence,
    limit = require("graphls.config").options.limit,
    includeSites = true,
  })
end

--- Links that touch the middle, as rows, what points at it first.
---@param answer graphls.Neighborhood
---@return graphls.Row[]
local function rows_of(answer)
  local nodes, rows = { [answer.root.id] = answer.root }, {} ---@type table<string, graphls.Node|nil>, graphls.Row[]
  for _, node in ipairs(answer.nodes) do
    nodes[node.id] = node
  end
  for _, edge in ipairs(answer.edges) do
    local out = edge.source == answer.root.id
    if out or edge.target == answer.root.id then
      local other = nodes[out and edge.target or edge.source]
      if other then
        table.insert(rows, { edge = edge, out = out, node = other })
      end
    end
  end
  local function key(row)
    return ("%d %s %s"):format(row.out and 1 or 0, row.edge.kind, row.node.symbol)
  end
  table.sort(rows, function(a, b)
    return key(a) < key(b)
  end)
  return rows
end

local function pieces(row, depth)
  return {
    { (" "):rep(1 + 3 * depth) .. (row.out and "-> " or "<- "), "arrow" },
    { ("%-12s"):format(row.edge.kind), "kind" },
    { ("%-6s"):format(words.mark(row.edge)), "mark" },
    { row.node.symbol, "name" },
    { "  " .. words.kind(row.node), "kind" },
    { "  " .. words.place(row.node), "place" },
  }
end

---@param view graphls.View
local function draw(view)
  local lines, marks, at = {}, {}, {}
  local function put(parts, row)
    local text = ""
    for _, part in ipairs(parts) do
      local from = #text
      text = text .. (part[1]:gsub("[\r\n]", " "))
      table.insert(marks, { #lines, from, #text, HIGHLIGHTS[part[2]] })
    end
    table.insert(lines, text)
    at[#lines] = row
  end
  local root = view.answer.root
  local middle = { node = root }
  put({ { words.kind(root) .. " ", "kind" }, { root.symbol, "name" }, { "  " .. words.place(root), "place" } }, middle)
  local kinds = #view.kinds > 0 and table.concat(view.kinds, ", ") or "all links"
  local shown = ("%s, %s, confidence from %g"):format(view.direction, kinds, view.confidence)
  put({ { shown .. "   ? help", "kind" } })
  put({ { words.standing(view.answer), "kind" } })
  put({ { "", "kind" } })
  local function list(rows, depth)
    for _, row in ipairs(rows) do
      put(pieces(row, depth), row)
      if row.rows then
        list(row.rows, depth + 1)
      end
    end
  end
  list(view.rows, 0)
  if #view.rows == 0 then
    put({ { " nothing around it within these limits", "kind" } })
  end
  for _, line in ipairs(view.help and { "", unpack(HELP) } or {}) do
    put({ { line, "kind" } })
  end
  view.at = at
  vim.bo[view.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(view.buffer, 0, -1, false, lines)
  vim.bo[view.buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(view.buffer, space, 0, -1)
  for _, mark in ipairs(marks) do
    vim.api.nvim_buf_set_extmark(view.buffer, space, mark[1], mark[2], { end_col = mark[3], hl_group = mark[4] })
  end
end

---@param view graphls.View
---@param subject graphls.Subject
---@param then_ fun(answer: graphls.Neighborhood)
local function ask(view, subject, then_)
  client.ask("graph/neighborhood", params_of(view, subject), function(answer)
    if vim.api.nvim_buf_is_valid(view.buffer) then
      then_(answer)
      draw(view)
    end
  end)
end

---@param view graphls.View
---@param node string
local function center(view, node)
  ask(view, { node = node }, function(answer)
    view.answer, view.rows = answer, rows_of(answer)
  end)
end

---@param view graphls.View
---@return graphls.Row|nil
local function here(view)
  return view.at[vim.api.nvim_win_get_cursor(0)[1]]
end

---@type table<string, fun(view: graphls.View, row: graphls.Row)>
local ACTIONS = {}

function ACTIONS.jump(view, row)
  if not row.node.uri then
    return client.tell(row.node.symbol .. " is outside the workspace")
  end
  if vim.api.nvim_win_get_config(0).relative ~= "" then
    vim.api.nvim_win_close(0, true)
  elseif vim.api.nvim_win_is_valid(view.origin) then
    vim.api.nvim_set_current_win(view.origin)
  end
  client.open(row.node.uri, row.node.range, client.of(0))
end

function ACTIONS.expand(view, row)
  if not row.edge then
    return
  end
  if row.rows then
    row.rows = nil
    return draw(view)
  end
  ask(view, { node = row.node.id }, function(answer)
    row.rows = rows_of(answer)
  end)
end

function ACTIONS.walk(view, row)
  if row.edge then
    table.insert(view.trail, view.answer.root.id)
    center(view, row.node.id)
  end
end

function ACTIONS.sites(_, row)
  if row.edge then
    require("graphls.lists").locations(row.edge.kind .. " " .. row.node.symbol, row.edge.sites or {})
  end
end

---@param view graphls.View
local function back(view)
  local last = table.remove(view.trail)
  if last then
    center(view, last)
  end
end

---@param view graphls.View
local function turn(view)
  view.direction = DIRECTIONS[view.direction]
  center(view, view.answer.root.id)
end

---@param view graphls.View
local function surer(view)
  local following = CONFIDENCES[1]
  for index, value in ipairs(CONFIDENCES) do
    if value > view.confidence then
      following = CONFIDENCES[index]
      break
    end
  end
  view.confidence = following
  center(view, view.answer.root.id)
end

---@param view graphls.View
local function narrow(view)
  local kinds = { "all" }
  for _, row in ipairs(view.rows) do
    local kind = row.edge and row.edge.kind
    if kind and not vim.list_contains(kinds, kind) then
      table.insert(kinds, kind)
    end
  end
  vim.ui.select(kinds, { prompt = "Kind of link" }, function(chosen)
    if chosen then
      view.kinds = chosen ~= "all" and { chosen } or {}
      center(view, view.answer.root.id)
    end
  end)
end

---@param view graphls.View
local function map(view)
  local function key(keys, action, on_row)
    vim.keymap.set("n", keys, function()
      local row = here(view)
      if not on_row then
        action(view)
      elseif row then
        action(view, row)
      end
    end, { buffer = view.buffer, nowait = true, silent = true })
  end
  key("<CR>", ACTIONS.jump, true)
  key("o", ACTIONS.expand, true)
  key("<Tab>", ACTIONS.expand, true)
  key("w", ACTIONS.walk, true)
  key("s", ACTIONS.sites, true)
  key("<BS>", back)
  key("d", turn)
  key("c", surer)
  key("e", narrow)
  key("r", function()
    center(view, view.answer.root.id)
  end)
  key("q", client.leave)
  key("?", function()
    view.help = not view.help
    draw(view)
  end)
end

---@param view graphls.View
---@param style string
local function window(view, style)
  if style == "float" then
    local width = math.min(100, vim.o.columns - 4)
    local height = math.max(5, math.min(24, vim.o.lines - 6))
    vim.api.nvim_open_win(view.buffer, true, {
      relative = "editor",
      row = math.floor((vim.o.lines - height) / 2) - 1,
      col = math.floor((vim.o.columns - width) / 2),
      width = width,
      height = height,
      border = "rounded",
      style = "minimal",
      title = " neighbourhood ",
    })
  else
    vim.cmd(style == "split" and "botright split" or "botright vsplit")
    vim.api.nvim_win_set_buf(0, view.buffer)
  end
  vim.wo.wrap, vim.wo.cursorline, vim.wo.number, vim.wo.relativenumber = false, true, false, false
end

---@param answer graphls.Neighborhood
---@param running vim.lsp.Client
---@param style string
local function create(answer, running, style)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.b[buffer].graphls_client = running.id
  vim.bo[buffer].bufhidden, vim.bo[buffer].filetype = "wipe", "graphls"
  ---@type graphls.View
  local view = {
    at = {},
    buffer = buffer,
    origin = vim.api.nvim_get_current_win(),
    answer = answer,
    rows = rows_of(answer),
    trail = {},
    kinds = {},
    direction = "both",
    confidence = require("graphls.config").options.min_confidence,
  }
  window(view, style)
  map(view)
  draw(view)
  vim.api.nvim_win_set_cursor(0, { math.min(5, vim.api.nvim_buf_line_count(buffer)), 0 })
end

--- Show what is around a subject.
---@param subject graphls.Subject
---@param style string|nil "split", "vsplit" or "float"
function M.show(subject, style)
  local options = require("graphls.config").options
  local asked = { kinds = {}, direction = "both", confidence = options.min_confidence }
  client.ask("graph/neighborhood", params_of(asked, subject), function(answer, running)
    create(answer, running, style or options.view)
  end, function(other)
    M.show(other, style)
  end)
end

return M
