-- Tests of the Neovim client in a real Neovim with a real server.
--
-- run: nvim --headless --clean -u NONE --cmd 'set rtp^=editors/neovim' -l tests/editors/neovim/run.lua
-- GRAPHLS names the executable of the server, WORKSPACE a folder that may be changed.

local server, workspace = vim.env.GRAPHLS, vim.uv.fs_realpath(vim.env.WORKSPACE)
local passed, failed = 0, 0
local told = {}
vim.notify = function(text)
  table.insert(told, text)
end

local function until_(what, condition, milliseconds)
  if not vim.wait(milliseconds or 120000, condition, 20) then
    error(("waited in vain: %s; told: %s"):format(what, table.concat(told, " | ")), 0)
  end
end

local function equal(found, expected)
  if not vim.deep_equal(found, expected) then
    error(("expected %s, found %s"):format(vim.inspect(expected), vim.inspect(found)), 2)
  end
end

---@param text string|nil
---@param part string
local function has(text, part)
  if not text then
    error(("no text, %q was expected"):format(part), 2)
  end
  if not text:find(part, 1, true) then
    error(("%q is not in %q"):format(part, text:sub(1, 600)), 2)
  end
end

local function test(name, body)
  told = {}
  local fine, problem = xpcall(body, function(what)
    return type(what) == "string" and what or vim.inspect(what)
  end)
  passed, failed = passed + (fine and 1 or 0), failed + (fine and 0 or 1)
  io.stdout:write(("%s neovim: %s%s\n"):format(fine and "ok" or "not ok", name, fine and "" or ("\n   " .. problem)))
end

local function edit(file, line, column)
  vim.cmd("silent! only!")
  vim.cmd.edit(vim.fn.fnameescape(workspace .. "/" .. file))
  if line then
    vim.api.nvim_win_set_cursor(0, { line, column })
  end
end

--- What the window shows, as a page that a browser can take a picture of.
local function picture(name)
  if not vim.env.SHOTS then
    return
  end
  vim.o.termguicolors, vim.o.background = true, "dark"
  vim.cmd.colorscheme("habamax")
  local page = require("tohtml").tohtml(0, { title = name, font = { "DejaVu Sans Mono", "monospace" } })
  vim.fn.writefile(page, vim.env.SHOTS .. "/" .. name .. ".html")
end

---@return vim.lsp.Client|nil
local function client()
  return vim.lsp.get_clients({ name = "graphls" })[1]
end

--- The client, which must be there.
local function running()
  return assert(client(), "no client runs")
end

--- Of what this Neovim started; a process may end while it is looked at.
local function kill_servers()
  for id in vim.fn.system({ "pgrep", "-P", tostring(vim.uv.os_getpid()) }):gmatch("%d+") do
    local file = io.open("/proc/" .. id .. "/cmdline")
    if file and (file:read("*a") or ""):find("serve", 1, true) then
      vim.uv.kill(math.floor(tonumber(id) or 0), "sigkill")
    end
  end
end

local function complete()
  until_("every file is linked", function()
    local one = client()
    local answer = one and one.initialized and one:request_sync("graph/status", vim.empty_dict(), 5000, 0)
    local result = answer and answer.result
    return result and result.fresh and result.session.stage == "complete"
  end, 60000)
end

---@param buffer integer|nil
---@return string[]
local function lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false)
end

local function text(buffer)
  return table.concat(lines(buffer), "\n")
end

local function near()
  until_("the neighbourhood is shown", function()
    return vim.bo.filetype == "graphls" and #lines() > 4
  end)
end

---@param part string
---@return integer
local function line_of(part)
  for number, line in ipairs(lines()) do
    if line:find(part, 1, true) then
      return number
    end
  end
  error(("no line holds %q in:\n%s"):format(part, text()), 2)
end

local function press(keys, part)
  if part then
    vim.api.nvim_win_set_cursor(0, { line_of(part), 0 })
  end
  vim.api.nvim_feedkeys(vim.keycode(keys), "mx", false)
end

local function quickfix()
  until_("a quickfix list", function()
    return vim.bo.buftype == "quickfix"
  end)
  return vim.fn.getqflist({ title = 0, items = 0 })
end

---@return integer|nil
local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return window
    end
  end
end

vim.cmd("filetype plugin on")
vim.cmd.runtime("plugin/graphls.lua")

test("a server that is not there is said by :checkhealth, with advice", function()
  require("graphls.config").choose({ cmd = { "graphls-that-is-not-there" } })
  vim.cmd("checkhealth graphls")
  has(text(), "was not found")
  has(text(), "pipx install graphls")
  vim.cmd("silent! bwipeout!")
end)

test("an option that does not exist is refused by name", function()
  local fine, problem = pcall(require("graphls").setup, { colour = "red" })
  equal(fine, false)
  has(problem, 'no option "colour"')
end)

test("vim.lsp.enable starts the server for a file", function()
  require("graphls.config").choose({ cmd = { server, "serve" }, settings = { checker = { enabled = false } } })
  vim.lsp.enable("graphls")
  edit("src/shop/report.py")
  until_("the client attaches", function()
    local one = client()
    return one ~= nil and one.initialized
  end)
  equal(running().root_dir, workspace)
  complete()
end)

test("hover names the callers", function()
  edit("src/shop/orders.py", 12, 9)
  vim.lsp.buf.hover()
  until_("a float", float)
  has(text(vim.api.nvim_win_get_buf(assert(float()))), "Called by 2 callers")
end)

test("definition goes to another file, from behind characters of several bytes", function()
  edit("src/shop/report.py", 18, 0)
  local line = vim.api.nvim_get_current_line()
  vim.api.nvim_win_set_cursor(0, { 18, (line:find("with_gift(order)", 1, true)) })
  vim.lsp.buf.definition()
  until_("the definition", function()
    return vim.api.nvim_buf_get_name(0):match("orders%.py$") ~= nil
  end)
  equal(vim.api.nvim_win_get_cursor(0), { 17, 4 })
end)

test("a finding is shown, and its code action removes it", function()
  edit("src/shop/orders.py", 22, 5)
  local function found()
    return vim.tbl_filter(function(one)
      return one.code == "maintainability.unused_definition"
    end, vim.diagnostic.get(0))
  end
  until_("the finding", function()
    return #found() == 1
  end)
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title == "Remove unused _forgotten"
    end,
  })
  until_("the edit", function()
    return not text():find("_forgotten", 1, true)
  end)
  until_("the finding is gone", function()
    return #found() == 0
  end)
  vim.cmd("silent undo")
  vim.cmd("silent write!")
  complete()
end)

test("code lenses bring the references to the quickfix", function()
  edit("src/shop/orders.py", 12, 8)
  local given = running():request_sync("textDocument/codeLens", {
    textDocument = vim.lsp.util.make_text_document_params(),
  }, 5000, 0)
  local lens = vim.tbl_filter(function(one)
    return one.range.start.line == 11
  end, assert(given).result)[1]
  local resolved = assert(running():request_sync("codeLens/resolve", lens, 5000, 0)).result
  has(resolved.command.title, "2 callers")
  running():exec_cmd(resolved.command)
  equal(#quickfix().items, 2)
end)

test("neighbourhood: shown in a split, what points at it first", function()
  edit("src/shop/orders.py", 12, 8)
  vim.cmd("Graphls neighborhood")
  near()
  has(lines()[1], "method shop.orders:Order.total  src/shop/orders.py:12")
  has(lines()[line_of("shop.report:line")], "<- calls")
  has(lines()[line_of("shop.model:Item.price")], "-> calls       ~.8")
  equal(line_of("shop.report:line") < line_of("shop.model:Item.price"), true)
end)

test("neighbourhood: a node is expanded in place and folded again", function()
  local before = #lines()
  press("o", "shop.report:line")
  until_("more lines", function()
    return #lines() > before
  end)
  has(lines()[line_of("shop.report:summary")], "   <- calls")
  picture("neovim-neighbourhood")
  press("o", "shop.report:line")
  equal(#lines(), before)
end)

test("neighbourhood: walked to a neighbour and back", function()
  press("w", "shop.report:line")
  until_("the neighbour is the middle", function()
    return (lines()[1] or ""):find("shop.report:line", 1, true) ~= nil
  end)
  press("<BS>")
  until_("back", function()
    return (lines()[1] or ""):find("Order.total", 1, true) ~= nil
  end)
end)

test("neighbourhood: narrowed by direction, kind and confidence", function()
  press("d")
  until_("only what points at it", function()
    return not text():find("->", 1, true)
  end)
  press("d")
  until_("only what it points at", function()
    return not text():find("<-", 1, true)
  end)
  vim.ui.select = function(items, _, chosen)
    equal(vim.list_contains(items, "calls"), true)
    chosen("calls")
  end
  press("e")
  until_("only calls", function()
    return not text():find("accesses", 1, true)
  end)
  press("c")
  press("c")
  press("c")
  until_("only what is certain", function()
    return not text():find("Item.price", 1, true)
  end)
  press("?")
  has(text(), "this help")
end)

test("neighbourhood: left by a key, also from the last window", function()
  local view = vim.api.nvim_get_current_buf()
  vim.cmd("only!")
  press("q")
  equal(vim.api.nvim_buf_is_valid(view), false)
end)

test("neighbourhood: goes to the source, also from a float", function()
  vim.cmd("silent! only!")
  edit("src/shop/orders.py", 12, 8)
  vim.cmd("Graphls neighborhood float shop.model:Item")
  near()
  equal(vim.api.nvim_win_get_config(0).relative, "editor")
  press("<CR>", "shop.model:Gift")
  until_("the source", function()
    return vim.api.nvim_buf_get_name(0):match("model%.py$") ~= nil
  end)
  equal(vim.api.nvim_win_get_cursor(0)[1], 16)
end)

test("a name with several meanings is asked back", function()
  local offered = {} ---@type string[]
  vim.ui.select = function(items, _, chosen)
    offered = items
    chosen(items[1])
  end
  edit("src/shop/orders.py", 12, 8)
  vim.cmd("Graphls neighborhood price")
  near()
  equal(#offered, 2)
  has(lines()[1], assert(offered[1]))
end)

test("impact goes to the quickfix, nearest first, with tests marked", function()
  edit("src/shop/model.py", 11, 9)
  vim.cmd("Graphls impact")
  local list = quickfix()
  has(list.title, "impact of shop.model:Item.price")
  has(list.items[1].text, "1 calls .8  method shop.orders:Order.total")
  has(
    table.concat(vim.tbl_map(function(item)
      return item.text
    end, list.items)),
    "test test_orders:test_total"
  )
  equal(list.items[1].lnum, 12)
end)

test("what to read first goes to the quickfix, with the reason", function()
  edit("src/shop/orders.py")
  vim.cmd("Graphls tour")
  local list = quickfix()
  has(list.title, "what to read first")
  has(list.items[1].text, "module")
  has(vim.inspect(list.items), "shop.model")
end)

test("routes and commands go to the quickfix, each at what handles it", function()
  edit("src/shop/web.py")
  vim.api.nvim_buf_set_lines(0, 0, -1, false, {
    "from flask import Flask",
    "",
    "app = Flask(__name__)",
    "",
    "",
    '@app.get("/orders")',
    "def listed() -> str:",
    '    return ""',
  })
  vim.cmd("silent write")
  until_("the route is known", function()
    vim.cmd("silent! cclose")
    vim.fn.setqflist({}, "r", { items = {} })
    vim.cmd("Graphls entries")
    vim.wait(400)
    return #vim.fn.getqflist() > 0
  end)
  local item = quickfix().items[1]
  has(item.text, "route GET /orders  shop.web:listed")
  equal(item.lnum, 7)
  vim.fn.delete(workspace .. "/src/shop/web.py")
  vim.cmd("silent! bwipeout! web.py")
end)

test("findings go to the quickfix", function()
  edit("src/shop/model.py")
  vim.cmd("Graphls findings")
  has(quickfix().items[1].text, "P3 maintainability.unused_definition")
end)

test("trace shows how one thing reaches another", function()
  edit("src/shop/model.py")
  vim.cmd("Graphls trace shop.report:summary shop.model:Item.price")
  local list = quickfix()
  has(list.items[1].text, "shop.report:summary calls shop.report:line")
  equal(#list.items, 3)
end)

test("a pack is shown as markdown, and within its budget", function()
  edit("src/shop/model.py")
  vim.cmd("Graphls! pack budget=900 how is the total of an order computed")
  until_("the pack", function()
    return vim.bo.filetype == "markdown"
  end)
  has(text(), "def total")
  has(vim.fn.getreg('"') --[[@as string]], "def total")
  has(table.concat(told, " "), "of 900 tokens")
end)

test("export shows text or writes a file of the workspace", function()
  edit("src/shop/model.py")
  vim.cmd("Graphls export mermaid")
  until_("the text", function()
    return vim.bo.filetype == "mermaid"
  end)
  has(text(), "flowchart")
  edit("src/shop/model.py")
  vim.cmd("Graphls export jsonl graph.jsonl")
  until_("the file, and words about it", function()
    return (told[#told] or ""):find("in graph.jsonl", 1, true) ~= nil
  end)
  equal(vim.uv.fs_stat(workspace .. "/graph.jsonl") ~= nil, true)
  vim.uv.fs_unlink(workspace .. "/graph.jsonl")
end)

test("export of code that does not parse is refused, with the way to have it", function()
  edit("src/shop/model.py")
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { "def (" })
  vim.cmd("Graphls export mermaid")
  until_("the words", function()
    return #told > 0
  end)
  has(told[1], "does not parse")
  has(told[1], ":Graphls! export")
  vim.api.nvim_buf_set_lines(0, 0, 1, false, {})
  vim.bo.modified = false
end)

test("status floats; the status line knows the revision", function()
  edit("src/shop/model.py")
  complete()
  vim.cmd("Graphls status")
  until_("a float", float)
  has(text(vim.api.nvim_win_get_buf(assert(float()))), "stage complete")
  has(text(vim.api.nvim_win_get_buf(assert(float()))), "checker ty")
  has(require("graphls").statusline(), "graphls r")
end)

test("unsaved text counts", function()
  edit("src/shop/report.py")
  local added = { "", "", "def unsaved(order: Order) -> int:", "    return order.total()" }
  vim.api.nvim_buf_set_lines(0, -1, -1, false, added)
  vim.cmd("Graphls neighborhood shop.orders:Order.total")
  near()
  line_of("shop.report:unsaved")
  edit("src/shop/orders.py")
  vim.cmd("silent bwipeout! " .. vim.fn.bufnr("report.py"))
end)

test("commands complete, and a wrong one names the right ones", function()
  equal(vim.fn.getcompletion("Graphls nei", "cmdline"), { "neighborhood" })
  equal(vim.fn.getcompletion("Graphls export gr", "cmdline"), { "graphml" })
  vim.cmd("Graphls nonsense")
  has(told[1], "Use one of: entries, export, findings, impact")
end)

test(":checkhealth names the server, its version and the client", function()
  edit("src/shop/orders.py")
  vim.cmd("checkhealth graphls")
  has(text(), "version 0.")
  has(text(), "graph requests")
  vim.cmd("silent! bwipeout!")
end)

test("a server that dies comes back, with a word about it", function()
  edit("src/shop/orders.py", 12, 8)
  require("graphls.life").FIRST_DELAY = 100
  local first = running()
  kill_servers()
  until_("another client", function()
    local one = client()
    return one ~= nil and one.id ~= first.id and one.initialized
  end)
  has(told[1], "it starts again in 0.1 s")
  complete()
  vim.cmd("Graphls neighborhood")
  near()
end)

test(":Graphls restart starts anew for the same buffers", function()
  edit("src/shop/orders.py", 12, 8)
  local first = running()
  vim.cmd("Graphls restart")
  until_("another client", function()
    local one = client()
    return one ~= nil and one.id ~= first.id and one.initialized
  end)
  equal(#told, 0)
end)

test("a server that keeps dying is left alone, with advice", function()
  local life = require("graphls.life")
  life.MOST_RESTARTS = 0
  local first = running()
  kill_servers()
  until_("the words", function()
    return #told > 0
  end)
  has(told[1], "left alone")
  has(told[1], ":Graphls log")
  equal(vim.lsp.get_client_by_id(first.id), nil)
end)

test(":Graphls restart starts it again for its buffers, whichever is looked at", function()
  require("graphls.life").MOST_RESTARTS = 5
  vim.cmd("enew")
  vim.cmd("Graphls restart")
  until_("a client with a buffer", function()
    local one = client()
    return one ~= nil and one.initialized and next(one.attached_buffers) ~= nil
  end)
end)

test("help is found", function()
  vim.cmd("helptags " .. vim.fn.fnameescape(vim.api.nvim_get_runtime_file("doc", false)[1] or "doc"))
  vim.cmd("help graphls-neighborhood")
  has(vim.api.nvim_buf_get_name(0), "graphls.txt")
end)

io.stdout:write(("%d passed, %d failed\n"):format(passed, failed))
vim.cmd("silent! qall!")
os.exit(failed == 0 and 0 or 1)
