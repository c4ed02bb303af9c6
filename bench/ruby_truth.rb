# Truth for bench/languages.py from a run of Ruby: methods that calls ran, and what constants mean to the interpreter.
#
#   TRUTH_ROOT=ROOT TRUTH_OUT=TRUTH.jsonl ruby -r ./bench/ruby_truth.rb -Ilib TESTS...
#
# Calls: TracePoint notes each method of a file below ROOT that is called from a line below ROOT by that method's own
# name; a line that spells the name of the method more than once is left out, so is what blocks of the core call.
# Constants: at the end, each constant of each loaded file below ROOT is looked for as Ruby does, by the nesting around
# it in the classes that are there by then; `const_source_location` says the place. One that the core or a library
# defines is external; one that is not there, or that waits to be loaded, is left out.
require 'json'
require 'set'

module GraphlsTruth
  ROOT = File.realpath(ENV.fetch('TRUTH_ROOT')) + '/'
  HERE = Dir.pwd
  CALLS = Set.new
  PARTS = Hash.new { |known, mod| known[mod] = Set.new }.compare_by_identity
  FILES = Hash.new { |known, path| known[path] = path.start_with?('<', '(') ? '' : File.expand_path(path, HERE) }
  PLACES = {}

  def self.place_of(owner, name)
    PLACES[[owner, name]] ||= begin
      file, line = owner.instance_method(name).source_location
      file && FILES[file].start_with?(ROOT) ? [FILES[file], line] : false
    rescue NameError
      false
    end
  end

  TRACE = TracePoint.new(:call, :c_call) do |event|
    place = event.event == :call ? [FILES[event.path], event.lineno] : nil
    if event.event == :c_call
      next if event.defined_class.nil? || %i[new initialize require send].include?(event.method_id)
      next unless FILES[event.path].start_with?(ROOT)
      place = place_of(event.defined_class, event.method_id)
      next unless place
      CALLS << [FILES[event.path], event.lineno, event.method_id.to_s, *place]
    elsif place[0].start_with?(ROOT)
      frames = caller_locations(2, 1)
      from = frames&.first
      next unless from && from.absolute_path&.start_with?(ROOT)
      name = event.method_id.to_s
      name = 'new' if name == 'initialize' && from.label == 'new'
      name = 'super' if from.label == event.method_id.to_s && name != 'new'
      CALLS << [from.absolute_path, from.lineno, name, *place]
      CALLS << [from.absolute_path, from.lineno, event.method_id.to_s, *place] if name == 'super'
    end
  end

  # Constants with the nesting around them, by the tree of the interpreter.
  class Constants
    def initialize(file)
      @file, @found = file, []
      walk(RubyVM::AbstractSyntaxTree.parse_file(file), [])
    end
    attr_reader :found

    def walk(node, nesting)
      return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)
      case node.type
      when :CLASS, :MODULE
        path, *rest = node.children
        body = rest.pop
        rest.each { |part| walk(part, nesting) }
        holder = path.type == :COLON2 && path.children[0] ? read(path.children[0], nesting) : nil
        walk(path.children[0], nesting) if path.type == :COLON2
        inner = begin
          base = path.type == :COLON3 ? Object : path.children[0] ? holder : (nesting.first || Object)
          base.const_get(path.children.last, false) if base.is_a?(Module) && base.const_defined?(path.children.last, false)
        end
        PARTS[inner] << [@file, node.first_lineno] if inner.is_a?(Module)
        walk(body, inner.is_a?(Module) ? [inner, *nesting] : [nil, *nesting])
      when :CONST
        note(node, node.children[0], nesting)
      when :COLON2
        walk(node.children[0], nesting)
        holder = read(node.children[0], nesting)
        inside(node, holder, node.children[1]) if holder.is_a?(Module)
      when :COLON3
        inside(node, Object, node.children[0])
      else
        node.children.each { |child| child.is_a?(Array) ? child.each { |one| walk(one, nesting) } : walk(child, nesting) }
      end
    end

    def look(name, nesting)
      return nil if nesting.include?(nil)
      nesting.each { |mod| return mod if !mod.equal?(Object) && mod.const_defined?(name, false) }
      first = nesting.first || Object
      first.ancestors.each { |mod| return mod if mod.const_defined?(name, false) }
      Object.const_defined?(name, false) ? Object : nil
    end

    def read(node, nesting)
      return nil unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)
      case node.type
      when :CONST
        holder = look(node.children[0], nesting)
        holder && !holder.autoload?(node.children[0], false) ? holder.const_get(node.children[0], false) : nil
      when :COLON2
        holder = read(node.children[0], nesting)
        holder.is_a?(Module) && holder.const_defined?(node.children[1]) ? holder.const_get(node.children[1]) : nil
      when :COLON3
        Object.const_defined?(node.children[0]) ? Object.const_get(node.children[0]) : nil
      end
    end

    def note(node, name, nesting)
      holder = look(name, nesting)
      @found << [node.first_lineno, node.first_column, name, *places(holder, name)] if holder
    end

    def places(holder, name)
      return [nil, nil] if holder.autoload?(name)
      value = holder.const_get(name)
      [holder.const_source_location(name), value.is_a?(Module) ? value : nil]
    end

    def inside(node, holder, name)
      return unless holder.const_defined?(name)
      @found << [node.last_lineno, node.last_column - name.length, name, *places(holder, name)]
    end
  end

  def self.write
    TRACE.disable
    lines = Hash.new { |known, file| known[file] = File.exist?(file) ? File.readlines(file) : [] }
    rows = Hash.new { |known, key| known[key] = Set.new }
    CALLS.each do |file, line, name, target, at|
      text = lines[file][line - 1] or next
      plain = name.delete_suffix('=')
      pattern = /(?<![\w:@$&])#{Regexp.escape(plain)}(?![\w?!])/
      text = text.b.force_encoding('UTF-8')
      next unless text.valid_encoding? && text.scan(pattern).length == 1
      rows[[file, line, text[0, text.index(pattern)].bytesize + 1, plain, 'method', false]] << [target, at]
    end
    found = []
    $LOADED_FEATURES.map { |file| File.realpath(file) rescue file }.uniq.push((File.realpath($0) rescue $0)).each do |file|
      next unless file.start_with?(ROOT) && file.end_with?('.rb')
      begin
        found << [file, Constants.new(file).found]
      rescue SyntaxError, StandardError => error
        warn "#{file}: #{error.class} #{error.message[0, 200]}"
      end
    end
    found.each do |file, constants|
      constants.each do |line, column, name, place, value|
        places = value ? PARTS[value].to_a : []
        places << [FILES[place[0]], place[1]] if place && place[0] && place[1].positive? && FILES[place[0]].start_with?(ROOT)
        next if place.nil? && places.empty?
        rows[[file, line, column + 1, name.to_s, 'constant', places.empty?]].merge(places)
      end
    end
    File.open(ENV.fetch('TRUTH_OUT'), 'w') do |out|
      rows.each do |(file, line, column, name, kind, external), places|
        known = external ? [] : places.map { |path, at| [path.delete_prefix(ROOT), at, 1] }
        out.puts JSON.generate(file: file.delete_prefix(ROOT), line: line, col: column, name: name, kind: kind,
                               external: external, local: false, definitions: known)
      end
    end
  end
end

at_exit { GraphlsTruth.write }
GraphlsTruth::TRACE.enable
