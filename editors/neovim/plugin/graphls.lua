if vim.g.loaded_graphls then
  return
end
vim.g.loaded_graphls = true

vim.api.nvim_create_user_command("Graphls", function(call)
  require("graphls.commands").run(call)
end, {
  nargs = "*",
  bang = true,
  desc = "Ask the code graph",
  complete = function(lead, line)
    return require("graphls.commands").complete(lead, line)
  end,
})
