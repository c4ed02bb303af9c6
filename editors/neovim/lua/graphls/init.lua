-- graphls: the code graph of a workspace, in Neovim.

local config = require("graphls.config")

local M = {}

---@param buffer integer
local function root_of(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  for _, marker in ipairs(config.ROOT_MARKERS) do
    local found = vim.fs.find(marker, { path = vim.fs.dirname(name), upward = true })[1]
    if found then
      return vim.fs.dirname(found)
    end
  end
  return vim.fs.dirname(name)
end

--- Start the server for every file it reads. Neovim 0.11 and newer need no more than
--- `vim.lsp.enable("graphls")`; this also takes options, and works on 0.10.
---@param options graphls.Options|nil
function M.setup(options)
  config.choose(options)
  local server = config.server()
  if vim.fn.has("nvim-0.11") == 1 then
    vim.lsp.config("graphls", server)
    vim.lsp.enable("graphls")
    return
  end
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("graphls", {}),
    pattern = config.filetypes(),
    callback = function(event)
      ---@type vim.lsp.ClientConfig
      local started = vim.tbl_extend("force", server, { root_dir = root_of(event.buf) })
      vim.lsp.start(started, { bufnr = event.buf })
    end,
  })
end

--- A few words for a status line: "" when no server runs for the buffer.
---@param buffer integer|nil
function M.statusline(buffer)
  return require("graphls.life").words(buffer or 0)
end

return M
