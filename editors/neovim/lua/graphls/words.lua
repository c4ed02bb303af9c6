-- Words: how nodes, links and answers are written.
--
-- Owns: marks of trust, places, what is said about an answer that is not the whole truth.
-- Invariant: a guess carries a mark; "0" is never written where it may mean "unknown".

local M = {}

---@param confidence number
local function share(confidence)
  if confidence >= 1 then
    return ""
  end
  return (("%.2f"):format(confidence):gsub("^0", ""):gsub("0+$", ""))
end

--- `!` checked, `~` inferred with how sure unless certain, `?` one of several; nothing where no name was resolved.
---@param edge graphls.Edge
---@return string
function M.mark(edge)
  if edge.ambiguous then
    return "?" .. share(edge.confidence)
  end
  if edge.provenance == "compiler_checked" then
    return "!"
  end
  return edge.resolution and "~" .. share(edge.confidence) or ""
end

--- How sure a way of several links is.
---@param confidence number
---@return string
function M.sure(confidence)
  return confidence >= 1 and "1" or share(confidence)
end

---@param node graphls.Node
---@return string
function M.kind(node)
  return node.subkind or node.kind
end

---@param node graphls.Node
---@return string
function M.place(node)
  if not node.file then
    return "outside"
  end
  return node.range and ("%s:%d"):format(node.file, node.range.start.line + 1) or node.file
end

---@param number integer
---@param noun string
local function counted(number, noun)
  return ("%d %s%s"):format(number, noun, number == 1 and "" or "s")
end
M.counted = counted

--- Why an answer may not be the whole truth; one line.
---@param answer graphls.Standing
---@return string
function M.standing(answer)
  local parts = {}
  if answer.unresolvedSites > 0 then
    table.insert(parts, counted(answer.unresolvedSites, "use") .. " could not be resolved")
  end
  if answer.truncated then
    table.insert(parts, answer.omitted > 0 and (answer.omitted .. " more left out") or "more left out")
  end
  if not answer.fresh then
    table.insert(parts, counted(answer.pendingCount, "changed file") .. " not read yet")
  end
  if #parts == 0 then
    table.insert(parts, answer.complete and "complete" or "not complete")
  end
  return ("revision %d: %s"):format(answer.revision, table.concat(parts, ", "))
end

return M
