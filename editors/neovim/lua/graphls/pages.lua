-- Pages: answers as text in a window of their own: packs, exports, status.
--
-- Owns: scratch buffers and their contents.
-- Invariant: text of an answer is shown as it came.

local client = require("graphls.client")
local words = require("graphls.words")

local M = {}

---@param name string
---@param filetype string
---@param text string
local function page(name, filetype, text)
  vim.cmd("botright new")
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = "nofile", "wipe", false
  pcall(vim.api.nvim_buf_set_name, buffer, ("graphls://%s/%d"):format(name, buffer))
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\r?\n"))
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
  vim.bo[buffer].filetype = filetype
  vim.keymap.set("n", "q", client.leave, { buffer = buffer, nowait = true })
end

---@class graphls.PackWanted
---@field task string
---@field budget integer|nil
---@field format string|nil
---@field copy boolean|nil

---@param wanted graphls.PackWanted
function M.pack(wanted)
  local params = { task = wanted.task, budget = wanted.budget, format = wanted.format or "markdown" }
  client.ask("graph/contextPack", params, function(answer)
    page("pack", params.format == "markdown" and "markdown" or "text", answer.text or vim.json.encode(answer.pack))
    if wanted.copy then
      vim.fn.setreg("+", answer.text or "")
      vim.fn.setreg('"', answer.text or "")
    end
    -- What the text says of itself: its headings cost tokens too.
    local counts = (answer.text or ""):match("%d+ declarations?, %d+ of %d+ tokens, %d+ left out")
    local code = ("%d tokens of code"):format(answer.pack.used or 0)
    client.tell(("%s, %s"):format(counts or code, words.standing(answer)))
  end)
end

---@param format string
---@param destination string|nil a path inside the workspace; without it the text is shown
function M.export(format, destination, allow)
  local params = { format = format, destination = destination, mode = allow and "allow-errors" or "checked" }
  client.ask("graph/export", params, function(answer)
    local counts = answer.counts
    if answer.content then
      page("export." .. format, format == "jsonl" and "json" or format, answer.content)
    end
    local where = answer.destination and (" in " .. answer.destination) or ""
    client.tell(("%d nodes, %d edges%s, %s"):format(counts.nodes, counts.edges, where, words.standing(answer)))
  end)
end

function M.status()
  client.ask("graph/status", vim.empty_dict(), function(answer, running)
    local status, session = answer.status, answer.session or {}
    local version = (running.server_info or {}).version or "?"
    local lines = {
      ("graphls %s, %s"):format(version, words.standing(answer)),
      ("%d files, %d indexed, %d skipped"):format(status.files, status.indexed, status.skippedCount or 0),
      ("stage %s %d/%d"):format(session.stage or "?", session.done or 0, session.total or 0),
      ("unsaved: %s"):format(#status.dirty > 0 and table.concat(status.dirty, ", ") or "none"),
    }
    for _, one in ipairs(session.checkers or {}) do
      local answered = one.asked > 0 and (", %d of %d questions answered"):format(one.answered, one.asked) or ""
      local why = one.problem ~= "" and (", %s"):format(one.problem) or ""
      table.insert(lines, ("checker %s %s: %s%s%s"):format(one.name, one.version, one.state, answered, why))
    end
    if #(session.checkers or {}) == 0 then
      table.insert(lines, "no checker is asked")
    end
    for _, problem in ipairs(session.problems or {}) do
      table.insert(lines, "problem: " .. problem)
    end
    vim.lsp.util.open_floating_preview(lines, "text", { border = "rounded", focus_id = "graphls.status" })
  end)
end

return M
