-- What `vim.lsp.enable("graphls")` starts (Neovim 0.11 and newer).
return require("graphls.config").server()
