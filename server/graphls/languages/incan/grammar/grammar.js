/**
 * Grammar of Incan (https://github.com/encero-systems/incan), as its parser reads the language at version 0.5.
 *
 * Indentation, the ends of lines and fluent chains over several lines come from src/scanner.c. Words that are keywords
 * in some places only (`property`, `await`, `when`) are identifiers everywhere else. Blocks of vocabularies that
 * libraries define (`query { ... }`, `route "/health":`) are read as expressions and words, whatever they mean.
 */
/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const PREC = {
  closure: -2, or: 10, and: 11, not: 12, compare: 13, range: 14, bit_or: 15, bit_xor: 16, bit_and: 17, shift: 18,
  add: 19, multiply: 20, power: 21, unary: 22, postfix: 24,
};

/** Keywords that are names in some places: of members, of arguments, of what Rust exports. */
const KEYWORDS = [
  'if', 'else', 'elif', 'match', 'case', 'loop', 'while', 'for', 'break', 'continue', 'return', 'yield', 'pass',
  'def', 'fn', 'class', 'model', 'trait', 'enum', 'type', 'newtype', 'with', 'extends', 'pub', 'import', 'from', 'as',
  'rust', 'python', 'super', 'crate', 'const', 'static', 'let', 'mut', 'self', 'true', 'false', 'None', 'and', 'or',
  'not', 'in', 'is',
];

/** Words that are keywords only where a construct begins with them. */
const SOFT = [
  'assert', 'when', 'async', 'await', 'alias', 'partial', 'property', 'interop', 'into', 'via', 'try', 'rusttype',
  'module', 'tests', 'feature', 'unsafe', 'raises', 'race', 'cls',
];

const commaSep1 = (rule) => seq(rule, repeat(seq(',', rule)), optional(','));
const commaSep = (rule) => optional(commaSep1(rule));

module.exports = grammar({
  name: 'incan',

  externals: ($) => [
    $._newline,
    $._indent,
    $._dedent,
    $._string_triple,
    $._layout_end,
    ']', ')', '}',
  ],

  extras: ($) => [/[ \t\r\n\uFEFF]/, $.comment],
  word: ($) => $.identifier,
  inline: ($) => [$._simple_statement, $._compound_statement],

  conflicts: ($) => [
    [$.vocabulary_clause, $.vocabulary_expression],
    [$.vocabulary_clause, $._name],
    [$.member_alias, $._name],
    [$.tuple_type],
    [$.vocabulary_expression, $.dictionary],
    [$._type_name, $._expression, $.parameter_name],
    [$._type_name, $._expression],
    [$._type, $._expression],
    [$.function_type, $.tuple],
    [$.vocabulary_block, $.vocabulary_clause, $.vocabulary_expression],
    [$.interop_block, $._name],
    [$.vocabulary_expression, $._name],
    [$.docstring, $._expression],
    [$.vocabulary_block, $.vocabulary_clause, $._name],
    [$.receiver, $._name],
    [$.receiver, $.self],
    [$.parameters, $.tuple],
    [$.vocabulary_block, $.vocabulary_expression],
    [$._expression, $.parameter_name],
    [$.tuple, $.parameter_names],
    [$._name, $.alias_declaration],
    [$._name, $.vocabulary_block],
    [$._expression, $.vocabulary_word],
    [$._name, $.assert_statement],
    [$._name, $.unsafe_statement],
    [$._name, $.race_expression],
    [$.unit_type, $.tuple],
  ],

  rules: {
    source_file: ($) => repeat(choice($._top_level)),

    _top_level: ($) => choice($._declaration, $.docstring, $._top_level_vocabulary),
    _top_level_vocabulary: ($) => prec.dynamic(-5, $.vocabulary_block),

    docstring: ($) => seq($.string, $._newline),

    _declaration: ($) => choice(
      $.import_declaration,
      $.rust_module_directive,
      $.const_declaration,
      $.static_declaration,
      $.function_declaration,
      $.model_declaration,
      $.class_declaration,
      $.trait_declaration,
      $.enum_declaration,
      $.type_declaration,
      $.newtype_declaration,
      $.alias_declaration,
      $.test_module,
      $.feature_condition,
    ),

    // ---- imports

    import_declaration: ($) => seq(
      optional(field('visibility', $.visibility)),
      choice(
        seq('from', field('source', $._import_source), 'import', $._import_items),
        seq(
          'import',
          choice(
            field('source', $._import_source),
            seq('python', field('source', $.string)),
          ),
          optional(seq('as', field('alias', $._name))),
        ),
      ),
      $._newline,
    ),
    _import_source: ($) => choice($.import_path, $.rust_path, $.library_path),
    import_path: ($) => choice(
      seq($._import_prefix, optional($._import_segments)),
      $._import_segments,
    ),
    _import_prefix: ($) => choice(
      repeat1(choice('..', '...')),
      seq('crate', choice('::', '.')),
      repeat1(prec.right(seq('super', optional(choice('::', '.'))))),
    ),
    _import_segments: ($) => seq($._import_segment, repeat(seq(choice('.', '::'), $._import_segment))),
    _import_segment: ($) => $._name,
    rust_path: ($) => prec.right(seq(
      'rust', choice('::', '.'), $._any_name, repeat(seq(choice('::', '.'), $._any_name)),
      optional(seq('@', field('version', $.string))),
      optional(seq('with', field('features', $.list))),
    )),
    library_path: ($) => seq('pub', choice('::', '.'), $._name, repeat(seq(choice('.', '::'), $._name))),
    _import_items: ($) => choice(seq('(', commaSep1($.import_item), ')'), seq($.import_item, repeat(seq(',', $.import_item)))),
    import_item: ($) => seq(field('name', $._any_name), optional(seq('as', field('alias', $._name)))),
    rust_module_directive: ($) => seq('rust', '.', 'module', '(', $.string, ')', $._newline),

    // ---- declarations

    visibility: (_) => 'pub',

    decorator: ($) => seq(
      '@',
      field('name', $.path),
      optional($.type_arguments),
      optional(field('arguments', $.arguments)),
      optional($._newline),
    ),
    path: ($) => seq($._name, repeat(seq(choice('.', '::'), $._any_name))),

    const_declaration: ($) => seq(
      optional(field('visibility', $.visibility)),
      'const', field('name', $._name), optional(seq(':', field('type', $._type))), '=', field('value', $._expression),
      $._newline,
    ),
    static_declaration: ($) => seq(
      optional(field('visibility', $.visibility)),
      'static', field('name', $._name), ':', field('type', $._type), '=', field('value', $._expression), $._newline,
    ),

    alias_declaration: ($) => seq(
      optional(field('visibility', $.visibility)),
      field('name', $._name), '=', optional('alias'), field('value', $._expression), $._newline,
    ),

    _modifier: (_) => 'async',

    function_declaration: ($) => seq(
      repeat($.decorator),
      optional(field('visibility', $.visibility)),
      repeat($._modifier),
      choice('def', 'fn'),
      field('name', choice($._name, alias('from', $.identifier))),
      optional(field('type_parameters', $.type_parameters)),
      field('parameters', $.parameters),
      optional(seq('for', field('trait', $.type_path))),
      '->',
      field('return_type', $._type),
      choice(field('body', $.block), seq(':', '...', $._newline), $._newline),
    ),

    parameters: ($) => seq('(', commaSep(choice($.parameter, $.receiver)), ')'),
    receiver: (_) => choice(seq(optional('mut'), 'self'), 'cls'),
    parameter: ($) => seq(
      optional('mut'),
      optional(choice('*', '**')),
      field('name', $._name), ':', field('type', $._type),
      optional(seq('=', field('default', $._expression))),
    ),

    type_parameters: ($) => seq('[', commaSep1($.type_parameter), ']'),
    type_parameter: ($) => seq(field('name', $._name), optional(seq('with', $._bounds))),
    _bounds: ($) => choice(seq('(', commaSep1($.type_path), ')'), $.type_path),

    traits: ($) => seq(
      'with',
      choice(seq('(', commaSep1($.type_path), ')'), seq($.type_path, repeat(seq(',', $.type_path)))),
    ),

    model_declaration: ($) => seq(
      repeat($.decorator), optional(field('visibility', $.visibility)),
      'model', field('name', $._name), optional(field('type_parameters', $.type_parameters)),
      optional(field('traits', $.traits)), field('body', $.declaration_body),
    ),
    class_declaration: ($) => seq(
      repeat($.decorator), optional(field('visibility', $.visibility)),
      'class', field('name', $._name), optional(field('type_parameters', $.type_parameters)),
      optional(seq('extends', field('superclass', $.type_path))),
      optional(field('traits', $.traits)), field('body', $.declaration_body),
    ),
    trait_declaration: ($) => seq(
      repeat($.decorator), optional(field('visibility', $.visibility)),
      'trait', field('name', $._name), optional(field('type_parameters', $.type_parameters)),
      optional(field('traits', $.traits)), field('body', $.declaration_body),
    ),
    enum_declaration: ($) => seq(
      repeat($.decorator), optional(field('visibility', $.visibility)),
      'enum', field('name', $._name), optional(field('type_parameters', $.type_parameters)),
      optional(seq('(', field('value_type', $._type), ')')),
      optional(field('traits', $.traits)), field('body', $.enum_body),
    ),
    type_declaration: ($) => seq(
      repeat($.decorator), optional(field('visibility', $.visibility)),
      'type', field('name', $._name), optional(field('type_parameters', $.type_parameters)),
      '=', field('type', $._type), $._newline,
    ),
    newtype_declaration: ($) => seq(
      repeat($.decorator), optional(field('visibility', $.visibility)),
      choice(
        seq('newtype', field('name', $._name), optional(field('type_parameters', $.type_parameters)), '='),
        seq(
          'type', field('name', $._name), optional(field('type_parameters', $.type_parameters)), '=',
          choice('newtype', 'rusttype'),
        ),
      ),
      field('type', $._type),
      optional(field('traits', $.traits)),
      choice(field('body', $.declaration_body), $._newline),
    ),

    declaration_body: ($) => seq(':', $._indent, repeat(choice($._member)), $._dedent),
    _member: ($) => choice(
      $.docstring,
      $.function_declaration,
      $.property_declaration,
      $.field_declaration,
      $.member_alias,
      $.associated_type,
      $.interop_block,
      $.pass_statement,
    ),
    field_declaration: ($) => seq(
      optional(field('visibility', $.visibility)),
      field('name', $._name),
      optional(field('metadata', $.field_metadata)),
      optional(seq('as', field('alias', $.string))),
      ':', field('type', $._type),
      optional(seq('=', field('default', $._expression))),
      $._newline,
    ),
    field_metadata: ($) => seq('[', commaSep1(seq($._name, '=', $.string)), ']'),
    property_declaration: ($) => seq(
      optional(field('visibility', $.visibility)),
      'property', field('name', choice($._name, alias('from', $.identifier))), '->', field('return_type', $._type),
      choice(field('body', $.block), seq(':', '...', $._newline), $._newline),
    ),
    member_alias: ($) => seq(
      field('name', choice($._name, alias('from', $.identifier))), '=', optional('alias'),
      field('value', choice($._expression, alias('from', $.identifier))), $._newline,
    ),
    associated_type: ($) => seq(
      'type', field('name', $._name), 'for', field('trait', $.type_path), '=', field('type', $._type), $._newline,
    ),
    interop_block: ($) => seq('interop', ':', $._indent, repeat(choice($.interop_edge)), $._dedent),
    interop_edge: ($) => seq(
      choice('from', 'into'), field('type', $._type), choice('via', 'try'), field('adapter', $._expression), $._newline,
    ),

    enum_body: ($) => seq(
      ':', $._indent,
      repeat(choice($.docstring, $.function_declaration, $.variant, $.variant_alias, $.pass_statement)),
      $._dedent,
    ),
    variant: ($) => seq(
      field('name', choice($._name, alias('None', $.identifier))),
      optional(seq('(', commaSep($._type), ')')),
      optional(seq('=', field('value', choice($.string, $.number)))),
      $._newline,
    ),
    variant_alias: ($) => seq(
      field('name', choice($._name, alias('None', $.identifier))), '=', 'alias',
      field('value', choice($._name, alias('None', $.identifier))), $._newline,
    ),

    test_module: ($) => seq(
      'module', field('name', alias('tests', $.identifier)), ':', $._indent,
      repeat(choice($._declaration, $.docstring, $.pass_statement)), $._dedent,
    ),
    feature_condition: ($) => seq(
      'when', $._feature, repeat(seq('and', $._feature)), ':', $._indent,
      repeat(choice($._declaration, $.docstring)), $._dedent,
    ),
    _feature: ($) => seq('feature', '(', $.string, ')'),

    // ---- types

    _type: ($) => choice(
      $.union_type, $.reference_type, $.function_type, $.tuple_type, $.unit_type, $.type_path, $.none, $.number,
      $.parenthesized_type,
    ),
    union_type: ($) => prec.left(PREC.bit_or, seq($._type, '|', $._type)),
    reference_type: ($) => prec(PREC.unary, seq('&', optional('mut'), $._type)),
    function_type: ($) => prec.right(seq('(', commaSep($._type), ')', '->', $._type)),
    tuple_type: ($) => seq('(', $._type, ',', commaSep($._type), ')'),
    unit_type: (_) => seq('(', ')'),
    parenthesized_type: ($) => seq('(', $._type, ')'),
    type_path: ($) => prec.right(seq(
      $._type_name,
      repeat(seq(choice('.', '::'), $._any_name)),
      optional(field('arguments', $.type_arguments)),
    )),
    _type_name: ($) => choice($._name, alias('from', $.identifier)),
    type_arguments: ($) => seq('[', commaSep(choice($._type, $.type_constraint)), ']'),
    type_constraint: ($) => seq(field('key', $._name), '=', optional('-'), $.number),

    // ---- statements

    block: ($) => seq(':', $._indent, repeat(choice($._statement)), $._dedent),

    _statement: ($) => choice(seq($._simple_statement, $._newline), $._compound_statement),

    _simple_statement: ($) => choice(
      $.return_statement, $.break_statement, $.continue_statement, $.pass_statement, $.assert_statement,
      $.let_statement, $.assignment, $.compound_assignment, $.expression_statement, $.vocabulary_clause,
    ),
    _compound_statement: ($) => choice(
      $.while_statement, $.for_statement, $.unsafe_statement, $.vocabulary_block,
      $._block_expression_statement, $.docstring,
    ),
    _block_expression_statement: ($) => prec(1, choice($.if_expression, $.loop_expression)),

    return_statement: ($) => prec.right(seq('return', optional($._expression))),
    break_statement: ($) => prec.right(seq('break', optional($._expression))),
    continue_statement: (_) => 'continue',
    pass_statement: (_) => choice('pass', '...'),
    assert_statement: ($) => prec.dynamic(1, prec.right(seq(
      'assert', field('condition', $._expression),
      optional(seq('raises', field('error', $._type))),
      optional(seq(',', field('message', $._expression))),
    ))),
    let_statement: ($) => seq(
      choice('let', 'mut'), field('name', $._name), repeat(seq(',', field('name', $._name))),
      optional(seq(':', field('type', $._type))), '=', repeat(prec.dynamic(1, seq(field('name', $._assigned_name), '='))),
      field('value', $._expression),
    ),
    assignment: ($) => seq(
      $._targets, optional(seq(':', field('type', $._type))), choice('=', ':='),
      repeat(prec.dynamic(1, seq(field('target', $._assigned_name), '='))),
      field('value', $._expression),
    ),
    _assigned_name: ($) => $._name,
    _targets: ($) => prec.right(seq(field('target', $._expression), repeat(seq(',', field('target', $._expression))))),
    compound_assignment: ($) => seq(
      field('target', $._expression),
      field('operator', choice('+=', '-=', '*=', '/=', '//=', '%=', '@=', '&=', '|=', '^=', '<<=', '>>=')),
      field('value', $._expression),
    ),
    expression_statement: ($) => $._expression,

    if_expression: ($) => prec.right(seq(
      'if', field('condition', $._condition), field('body', $.block),
      repeat(field('alternative', $.elif_clause)), optional(field('alternative', $.else_clause)),
    )),
    elif_clause: ($) => seq('elif', field('condition', $._condition), field('body', $.block)),
    else_clause: ($) => seq('else', field('body', $.block)),
    _condition: ($) => choice($._expression, $.let_condition),
    let_condition: ($) => seq('let', field('pattern', $._pattern), '=', field('value', $._expression)),
    while_statement: ($) => seq('while', field('condition', $._condition), field('body', $.block)),
    for_statement: ($) => seq(
      'for', field('pattern', $._for_pattern), 'in', field('value', $._expression), field('body', $.block),
    ),
    _for_pattern: ($) => prec.right(seq($._name, repeat(seq(',', $._name)))),
    unsafe_statement: ($) => seq('unsafe', field('body', $.block)),

    // ---- vocabularies of libraries

    vocabulary_block: ($) => prec.dynamic(-3, seq(
      repeat($.decorator),
      field('keyword', alias($.identifier, $.vocabulary_word)),
      repeat(alias($.identifier, $.vocabulary_word)),
      optional(choice(
        seq(field('header', $._expression), repeat(seq(',', field('header', $._expression)))),
        seq(field('parameters', $.parameters), optional(seq('->', $._type))),
      )),
      field('body', $.block),
    )),
    vocabulary_clause: ($) => prec.dynamic(-4, seq(
      field('keyword', alias($.identifier, $.vocabulary_word)),
      repeat(alias($.identifier, $.vocabulary_word)),
      $.vocabulary_item, repeat(seq(',', $.vocabulary_item)),
    )),
    vocabulary_expression: ($) => prec.dynamic(-3, seq(
      field('keyword', alias($.identifier, $.vocabulary_word)),
      '{', repeat(choice($.vocabulary_item, ',')), '}',
    )),
    vocabulary_item: ($) => prec.right(seq(
      field('value', $._expression),
      optional(choice(seq('as', field('alias', $._name)), seq('=', field('value', $._expression)))),
    )),
    vocabulary_word: ($) => $.identifier,

    // ---- expressions

    _expression: ($) => choice(
      $._name, $.self, $.number, $.string, $.bytes, $.format_string, $.true, $.false, $.none,
      $.list, $.list_comprehension, $.dictionary, $.dictionary_comprehension, $.set, $.tuple, $.generator,
      $.parenthesized_expression, $.unary_expression, $.binary_expression, $.range_expression, $.await_expression,
      $.field_expression, $.call, $.subscript, $.try_expression, $.closure, $.partial_expression, $.yield_expression,
      $.match_expression, $.if_expression, $.loop_expression, $.race_expression, $.vocabulary_expression,
      $.leading_dot_path,
    ),

    self: (_) => 'self',
    true: (_) => choice('true', 'True'),
    false: (_) => choice('false', 'False'),
    none: (_) => 'None',

    unary_expression: ($) => choice(
      prec(PREC.unary, seq(field('operator', choice('-', '~')), field('operand', $._expression))),
      prec(PREC.not, seq(field('operator', 'not'), field('operand', $._expression))),
    ),
    binary_expression: ($) => choice(
      ...[
        ['or', PREC.or], ['and', PREC.and],
        ...['==', '!=', '<', '>', '<=', '>=', 'in', 'is', '|>', '<|', '===', '->'].map((it) => [it, PREC.compare]),
        ['|', PREC.bit_or], ['^', PREC.bit_xor], ['&', PREC.bit_and], ['<<', PREC.shift], ['>>', PREC.shift],
        ['+', PREC.add], ['-', PREC.add],
        ...['*', '@', '//', '/', '%'].map((it) => [it, PREC.multiply]),
      ].map(([operator, precedence]) => prec.left(precedence, seq(
        field('left', $._expression), field('operator', operator), field('right', $._expression),
      ))),
      prec.left(PREC.compare, seq(
        field('left', $._expression), field('operator', alias(seq('not', 'in'), 'not in')), field('right', $._expression),
      )),
      prec.left(PREC.compare, seq(
        field('left', $._expression), field('operator', alias(seq('is', 'not'), 'is not')), field('right', $._expression),
      )),
      prec.right(PREC.power, seq(field('left', $._expression), field('operator', '**'), field('right', $._expression))),
    ),
    range_expression: ($) => prec.left(PREC.range, seq(
      field('start', $._expression), choice('..', '..='), field('end', $._expression),
    )),
    await_expression: ($) => prec.dynamic(1, prec(PREC.unary, seq('await', field('value', $._expression)))),
    yield_expression: ($) => prec.right(seq('yield', optional($._expression))),
    partial_expression: ($) => prec.dynamic(1, prec(PREC.unary, seq('partial', field('value', $._expression)))),

    field_expression: ($) => prec(PREC.postfix, seq(
      field('value', $._expression), '.', field('name', choice($._any_name, $.number)),
    )),
    leading_dot_path: ($) => prec.dynamic(-2, prec(PREC.postfix, seq('.', field('name', $._any_name)))),
    call: ($) => prec(PREC.postfix, seq(field('function', $._expression), field('arguments', $.arguments))),
    subscript: ($) => prec(PREC.postfix, seq(
      field('value', $._expression), '[', commaSep1(choice($._expression, $.slice, $._subscript_type)), ']',
    )),
    _subscript_type: ($) => choice($.reference_type, $.function_type),
    slice: ($) => prec.left(seq(
      optional($._expression), ':', optional($._expression), optional(seq(':', optional($._expression))),
    )),
    try_expression: ($) => prec(PREC.postfix, seq($._expression, '?')),

    arguments: ($) => seq('(', commaSep(choice(
      $._expression, $.named_argument, $.spread_argument, $.typed_argument,
    )), ')'),
    named_argument: ($) => seq(field('name', $._any_name), '=', field('value', $._expression)),
    typed_argument: ($) => seq(field('name', $._name), ':', field('type', $._type)),
    spread_argument: ($) => seq(choice('*', '**'), $._expression),

    list: ($) => seq('[', commaSep(choice($._expression, $.spread_argument)), ']'),
    dictionary: ($) => seq('{', commaSep(choice($.pair, $.spread_argument)), '}'),
    pair: ($) => seq(field('key', $._expression), ':', field('value', $._expression)),
    set: ($) => seq('{', commaSep1($._expression), '}'),
    list_comprehension: ($) => seq('[', field('value', $._expression), repeat1($._comprehension_clause), ']'),
    dictionary_comprehension: ($) => seq('{', field('value', $.pair), repeat1($._comprehension_clause), '}'),
    generator: ($) => seq('(', field('value', $._expression), repeat1($._comprehension_clause), ')'),
    _comprehension_clause: ($) => choice($.for_clause, $.if_clause),
    for_clause: ($) => prec.left(seq('for', field('pattern', $._for_pattern), 'in', field('value', $._expression))),
    if_clause: ($) => seq('if', $._expression),
    tuple: ($) => choice(seq('(', ')'), seq('(', $._expression, ',', commaSep($._expression), ')')),
    parenthesized_expression: ($) => seq('(', $._expression, ')'),
    closure: ($) => prec.right(PREC.closure, seq(
      field('parameters', $.parameter_names), '=>', field('body', $._expression),
    )),
    parameter_names: ($) => seq('(', commaSep($.parameter_name), ')'),
    parameter_name: ($) => $._name,

    match_expression: ($) => seq(
      'match', field('subject', $._expression), ':', $._indent, repeat($.match_arm), $._dedent,
    ),
    match_arm: ($) => choice(
      seq(
        'case', field('pattern', $._pattern), optional(seq('if', field('guard', $._expression))),
        choice(field('body', $.block), seq(':', field('body', $._inline_statement))),
      ),
      seq(field('pattern', $._pattern), '=>', choice(
        field('body', alias($._arm_block, $.block)), field('body', $._inline_statement),
      )),
    ),
    _arm_block: ($) => seq($._indent, repeat(choice($._statement)), $._dedent),
    _inline_statement: ($) => seq($._simple_statement, $._newline),
    race_expression: ($) => prec.dynamic(1, seq(
      'race', 'for', field('binding', $._name), ':', $._indent, repeat(choice($.race_arm)), $._dedent,
    )),
    race_arm: ($) => seq('await', field('value', $._expression), '=>', choice(
      field('body', alias($._arm_block, $.block)), seq(field('body', $._expression), $._newline),
    )),
    loop_expression: ($) => seq('loop', field('body', $.block)),

    // ---- patterns

    _pattern: ($) => choice(
      $._name, $.number, $.negative_number, $.string, $.bytes, $.true, $.false, $.none, $.or_pattern, $.tuple_pattern,
      $.constructor_pattern, $.variant_pattern,
    ),
    negative_number: ($) => seq('-', $.number),
    or_pattern: ($) => prec.left(seq($._pattern, '|', $._pattern)),
    tuple_pattern: ($) => seq('(', commaSep($._pattern), ')'),
    variant_pattern: ($) => seq($._name, '.', choice($._name, alias('None', $.identifier))),
    constructor_pattern: ($) => seq(
      field('name', choice($._name, $.variant_pattern)),
      '(', commaSep(choice($._pattern, $.named_pattern)), ')',
    ),
    named_pattern: ($) => seq(field('name', $._any_name), '=', field('value', $._pattern)),

    // ---- names and literals

    _name: ($) => choice($.identifier, ...SOFT.map((word) => alias(word, $.identifier))),
    _any_name: ($) => choice($._name, ...KEYWORDS.map((word) => alias(word, $.identifier))),
    identifier: (_) => /[A-Za-z_][A-Za-z0-9_]*/,
    number: (_) => token(/[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?d?/),
    comment: (_) => token(seq('#', /[^\n]*/)),

    string: ($) => choice(
      token(seq('"', repeat(choice(/[^"\\\n]/, /\\[\s\S]/)), '"')),
      token(seq('\'', repeat(choice(/[^'\\\n]/, /\\[\s\S]/)), '\'')),
      $._string_triple,
    ),
    bytes: (_) => choice(
      token(seq('b"', repeat(choice(/[^"\\\n]/, /\\[\s\S]/)), '"')),
      token(seq('b\'', repeat(choice(/[^'\\\n]/, /\\[\s\S]/)), '\'')),
    ),
    format_string: ($) => choice(
      seq('f"', repeat(choice(alias($._double_text, $.string_content), $.escape, $.interpolation)), token.immediate('"')),
      seq('f\'', repeat(choice(alias($._single_text, $.string_content), $.escape, $.interpolation)), token.immediate('\'')),
    ),
    _double_text: (_) => token.immediate(prec(1, /[^{}"\\\n]+/)),
    _single_text: (_) => token.immediate(prec(1, /[^{}'\\\n]+/)),
    escape: (_) => token.immediate(prec(1, choice('{{', '}}', /\\[\s\S]/))),
    interpolation: ($) => seq(
      token.immediate('{'), field('value', $._expression), optional(seq(':', optional($.format_specifier))), '}',
    ),
    format_specifier: (_) => token(prec(-1, /[^{}\s"']+/)),
  },
});
