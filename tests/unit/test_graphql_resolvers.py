"""GraphQL resolvers: fields of a schema lead to the code that answers them, documents in code to schemas and fragments.

Owns: one case for each way to say that code answers a field, schemas in code, what configuration says of documents.
Must not know: how a document is read.
Invariant: an edge is there from both ends or from none.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graphls.facts.paths import FilePath
from graphls.graph.derivation import DerivedNode
from graphls.graph.nodes import qualified_name
from graphls.graph.snapshot import Snapshot, SymbolRef
from graphls.queries.definition import definition
from graphls.queries.document_uses import entries_named
from graphls.queries.hover import hover
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.symbol_lookup import one_node
from graphls.session.memory import snapshot_of

SCHEMA = """type Query { user(id: ID!): User me: User lastPost: Post }
type Mutation { addUser(name: String): User }
type User { name: String lastPost: Post }
type Post { title: String }
"""


def _title(snapshot: Snapshot, place: SymbolRef | DerivedNode | str) -> str:
    if isinstance(place, str):
        return place
    if isinstance(place, DerivedNode):
        return f"{place.file}#{place.name}"
    facts, row = snapshot.facts(place.file), place.definition
    return f"{place.file}:{qualified_name(facts, row) if row >= 0 else ''}"


def _links(files: Mapping[str, str], kind: str = "handles") -> list[str]:
    snapshot = snapshot_of(files)
    assert snapshot.derivation is not None
    found: list[str] = []
    for edge in (edge for path in snapshot.shards for edge in snapshot.derivation.edges_from(snapshot, path)):
        if edge.attributes.get("via") == "graphql" and edge.kind == kind:
            assert not isinstance(edge.target, str)
            fresh = snapshot_of(files)
            assert fresh.derivation is not None
            assert edge in fresh.derivation.edges_to(fresh, edge.target)
            possible = " ?" if edge.ambiguous else ""
            found.append(f"{_title(snapshot, edge.source)} -> {_title(snapshot, edge.target)}{possible}")
    return sorted(found)


@pytest.mark.parametrize(
    ("path", "code", "links"),
    [
        (
            "r.ts",
            ("const helper = { name: () => 1 };\n"
            "export const resolvers: Resolvers = {\n  Query: { user(p, a) { return 1; }, other: () => 2 },\n"
            "  User: { name: (u) => u.name },\n};\n"),
            ["Query.user -> r.ts:resolvers.Query.user", "User.name -> r.ts:resolvers.User.name"],
        ),
        ("r.js", "module.exports = { Query: { me: () => 1 } };\n", ["Query.me -> r.js:export=.Query.me"]),
        ("r.ts", "export const Query = { me: () => 1 };\n", ["Query.me -> r.ts:Query.me"]),
        ("r.ts", "const people: UserResolvers<Context> = { name: () => 1 };\n", ["User.name -> r.ts:people.name"]),
        (
            "r.ts",
            'export const me: NonNullable<QueryResolvers["me"]> = async () => 1;\n',
            ["Query.me -> r.ts:me"],
        ),
        (
            "r.ts",
            "export const server = new Server({ typeDefs, resolvers: { Query: { me: () => 1 } } });\n",
            ["Query.me -> r.ts:server"],
        ),
        (
            "r.ts",
            ('import { Query } from "type-graphql";\n@Resolver(() => User)\nexport class People {\n'
            '  @Query(() => User, { nullable: true, name: "me" })\n  whoever() {}\n'
            "  @Mutation(() => User)\n  addUser() {}\n"
            "  @FieldResolver()\n  name() {}\n  lastPost() {}\n}\n"),
            ["Mutation.addUser -> r.ts:People.addUser", "Query.me -> r.ts:People.whoever",
             "User.name -> r.ts:People.name"],
        ),
        (
            "r.ts",
            ("import { Query } from '@nestjs/graphql';\n@Resolver('User')\nexport class People {\n"
            "  @Query('me')\n  whoever() {}\n"
            "  @ResolveField('name')\n  n() {}\n}\n"),
            ["Query.me -> r.ts:People.whoever", "User.name -> r.ts:People.n"],
        ),
        (
            "r.py",
            ("import graphene\n\n\nclass People(graphene.ObjectType):\n    last_post = graphene.Field(str)\n\n"
            "    def resolve_last_post(self, info):\n        return 1\n\n\nclass Query(People):\n    pass\n"),
            ["Query.lastPost -> r.py:People.last_post", "Query.lastPost -> r.py:People.resolve_last_post"],
        ),
        (
            "r.py",
            ("import strawberry\n\n\n@strawberry.type\nclass User:\n    name: str\n\n    @strawberry.field\n"
            "    def last_post(self):\n        return 1\n\n    def other(self):\n        return 1\n"),
            ["User.lastPost -> r.py:User.last_post", "User.name -> r.py:User.name"],
        ),
        (
            "r.py",
            ('from ariadne import ObjectType, QueryType\n\nquery = QueryType()\nuser = ObjectType("User")\n\n\n'
            '@query.field("me")\ndef resolve_me(*_):\n    return 1\n\n\ndef names(*_):\n    return 1\n\n\n'
            'user.set_field("name", names)\n'),
            ["Query.me -> r.py:resolve_me", "User.name -> r.py:names"],
        ),
        (
            "r.go",
            ("package r\n\nfunc (r *queryResolver) LastPost(c Context) int { return 1 }\n"
            "func (r *userResolver) Name() {}\n"),
            ["Query.lastPost -> r.go:queryResolver.LastPost", "User.name -> r.go:userResolver.Name"],
        ),
        (
            "R.java",
            ('@Controller\nclass R {\n  @QueryMapping\n  public User me() { return null; }\n'
            '  @QueryMapping("user")\n  User one(@Argument String id) { return null; }\n'
            "  @SchemaMapping\n  public Post lastPost(User user) { return null; }\n"
            '  @SchemaMapping(typeName = "User", field = "name")\n  String n(User user) { return null; }\n'
            "  public User addUser() { return null; }\n}\n"),
            ["Query.me -> R.java:R.me", "Query.user -> R.java:R.one", "User.lastPost -> R.java:R.lastPost",
             "User.name -> R.java:R.n"],
        ),
        (
            "R.kt",
            ("class R {\n  @DgsQuery\n  fun me(): User? = null\n"
            '  @DgsData(parentType = "User", field = "name")\n  fun n() = 1\n}\n'),
            ["Query.me -> R.kt:R.me", "User.name -> R.kt:R.n"],
        ),
        (
            "R.java",
            ('class R {\n  Wiring all() {\n    return w.type(newTypeWiring("Query").dataFetcher("me", one))'
            '.type("User", b -> b.dataFetcher("name", n)).build();\n  }\n}\n'),
            ["Query.me -> R.java:R.all", "User.name -> R.java:R.all"],
        ),
        (
            "r.ts",
            "import { Query } from '@nestjs/graphql';\nexport class All {\n  @Query(() => User)\n  me() {}\n}\n",
            ["Query.me -> r.ts:All.me"],
        ),
        ("r.ts", "export class Web {\n  me(@Query() all) {}\n  @Query() user() {}\n}\n", []),
        # What looks like a resolver: a class of its own, an object of another kind, a name that is no field.
        ("r.ts", "export class Query { me() {} }\nexport const columns = { User: { name: 1 } };\n", []),
        ("r.ts", "export const resolvers = { Query: { nobody: () => 1 } };\n", []),
        ("r.py", "class User:\n    name = 1\n", []),
        ("r.go", "package r\n\nfunc (r *resolver) Me() {}\nfunc (q *query) Me() {}\n", []),
    ],
)  # fmt: skip
def test_fields_lead_to_what_answers_them(path: str, code: str, links: list[str]) -> None:
    assert _links({"s.graphql": SCHEMA, path: code}) == [f"s.graphql#{link}" for link in links]


def test_what_stands_for_a_type_may_be_of_another_file() -> None:
    files = {
        "s.graphql": SCHEMA,
        "a/users.ts": "export const userQueries = { me: () => 1 };\n",
        "a/query.ts": "export default { user: () => 1 };\n",
        "a/mutation.js": "module.exports = { addUser() { return 1; } };\n",
        "a/index.ts": (
            'import { userQueries } from "./users";\nimport other from "./query";\n'
            'const Mutation = require("./mutation");\n'
            "export const resolvers = { Query: { ...userQueries, ...other }, Mutation };\n"
        ),
    }
    assert _links(files) == [
        "s.graphql#Mutation.addUser -> a/mutation.js:export=.addUser",
        "s.graphql#Query.me -> a/users.ts:userQueries.me",
        "s.graphql#Query.user -> a/query.ts:default.user",
    ]


def test_types_of_graphene_have_what_is_above_them() -> None:
    files = {
        "a/s.graphql": SCHEMA,
        "a/users.py": (
            "import graphene\n\n\nclass Base(graphene.ObjectType):\n    me = graphene.Field(str)\n\n\n"
            "class Users(Base):\n    def resolve_user(self, info):\n        return 1\n"
        ),
        "a/api.py": "from .users import Users\n\n\nclass Query(Users):\n    pass  # of the graph\n",
    }
    assert _links(files) == ["a/s.graphql#Query.me -> a/users.py:Base.me",
                             "a/s.graphql#Query.user -> a/users.py:Users.resolve_user"]  # fmt: skip


def test_a_schema_may_stand_in_code() -> None:
    files = {
        "a/s.ts": f"export const typeDefs = gql`{SCHEMA}`;\n",
        "a/r.ts": "export const resolvers = { Query: { me: () => 1 } };\n",
        "a/c.ts": "export const ME = gql`query { me { name } }`;\n",
        "a/x.test.ts": "const typeDefs = gql`type Query { me: Int }`;\nconst resolvers = { Query: { me: () => 2 } };\n",
    }
    assert _links(files) == ["a/s.ts#Query.me -> a/r.ts:resolvers.Query.me",
                             "a/x.test.ts#Query.me -> a/x.test.ts:resolvers.Query.me"]  # fmt: skip
    named = _links(files, "references")
    assert "a/c.ts:ME -> a/s.ts#User.name" in named
    snapshot = snapshot_of({**files, "a/u.ts": "export const typeDefs = `type Me { a: Int }`;\nexport class Me {}\n"})
    entry = one_node(snapshot, "a/s.ts:User.name")
    assert isinstance(entry, DerivedNode)
    assert definition(snapshot, FilePath("a/c.ts"), files["a/c.ts"].index("name")) is not None
    assert hover(snapshot, FilePath("a/s.ts"), files["a/s.ts"].index("lastPost")) is not None
    assert isinstance(one_node(snapshot, "a/u.ts:Me"), SymbolRef)
    assert "a/s.ts#Query.me -> a/s.ts#User" in named
    for code in ("const typeDefs = `#graphql\n{}`;", "const User = /* GraphQL */ `{}`;", "buildSchema(`{}`);"):
        text = code.replace("{}", SCHEMA)
        assert _links({"a/s.ts": text, "a/r.ts": files["a/r.ts"]}) == [
            "a/s.ts#Query.me -> a/r.ts:resolvers.Query.me"
        ], code


def test_spreads_lead_to_fragments_in_code() -> None:
    files = {
        "f.ts": "export const userFields = gql`fragment Fields on User { name }`;\n",
        "c.ts": "export const ME = gql`query { me { ...Fields } } ${userFields}`;\n",
    }
    assert _links(files, "references") == ["c.ts:ME -> f.ts:userFields"]


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (
            "graphql.config.ts",
            ('const config = {\n  projects: {\n    a: { schema: "one.graphql", documents: ["./src/**/*.ts"] },\n'
            '    b: { schema: "two.graphql", documents: "other/**" },\n  },\n};\nexport default config;\n'),
        ),
        (".graphqlrc.yml", "schema: one.graphql\ndocuments: 'src/**/*.{ts,tsx}'\n"),
        (".graphqlrc", '{ "schema": ["one.graphql"], "include": ["src/**"] }\n'),
        (
            "codegen.ts",
            "export default make({ schema: './one.graphql', documents: ['src/!(*.x).ts', '!src/y.ts'] });\n",
        ),
        (
            "apollo.config.js",
            ("module.exports = {\n"
            "  client: { includes: ['src/*.ts'], service: { localSchemaFile: 'one.graphql' } },\n};\n"),
        ),
    ],
)  # fmt: skip
def test_configuration_says_which_schema_a_document_belongs_to(config: str, text: str) -> None:
    files = {
        "one.graphql": "type Query { me: Int }\n",
        "two.graphql": "type Query { me: String }\n",
        "src/c.ts": "export const ME = gql`query { me }`;\n",
    }
    assert _links(files, "references") == []
    assert _links({**files, config: text}, "references") == ["src/c.ts:ME -> one.graphql#Query.me"]


def test_a_document_of_two_schemas_may_mean_both() -> None:
    files = {
        "one.graphql": "type Query { me: Int }\n",
        "two.graphql": "type Query { me: String }\n",
        "c.ts": "export const ME = gql`query { me }`;\n",
        ".graphqlrc.yml": (
            "projects:\n  a: {schema: one.graphql, documents: c.ts}\n  b: {schema: two.graphql, documents: '*.ts'}\n"
        ),
    }
    assert _links(files, "references") == ["c.ts:ME -> one.graphql#Query.me ?", "c.ts:ME -> two.graphql#Query.me ?"]


def test_who_asks_for_a_field_hangs_on_who_answers_it() -> None:
    snapshot = snapshot_of(
        {
            "s.graphql": SCHEMA,
            "r.ts": "export const resolvers = { Query: { me: () => find() } };\nexport function find() { return 1; }\n",
            "c.ts": "export const ME = gql`query { me { name } }`;\nexport function page() { return run(ME); }\n",
        }
    )
    facts = snapshot.facts(next(path for path in snapshot.shards if path == "r.ts"))
    rows = [row for row, name in enumerate(facts.definitions.name) if facts.strings[name] == "find"]
    reached = impact(
        snapshot, ImpactQuery(SymbolRef(next(p for p in snapshot.shards if p == "r.ts"), rows[0]), depth=6)
    )
    titles = {_title(snapshot, one.node) for one in reached.affected}
    assert {"r.ts:resolvers.Query.me", "s.graphql#Query.me", "c.ts:ME", "c.ts:page"} <= titles
    entry = entries_named(snapshot, next(p for p in snapshot.shards if p == "s.graphql"), "Query.me")[0]
    reached = impact(snapshot, ImpactQuery(entry))
    assert "c.ts:page" in {_title(snapshot, one.node) for one in reached.affected}


CLIENT = "import gql from 'graphql-tag';\nexport const asked = gql`query { me { name posts { title } } }`;\n"
CODE_FIRST = {
    "graphql-js": {
        "s.js": "import { GraphQLObjectType, GraphQLSchema, GraphQLString, GraphQLList } from 'graphql';\n"
        "const PostType = new GraphQLObjectType({ name: 'Post', fields: { title: { type: GraphQLString } } });\n"
        "const UserType = new GraphQLObjectType({\n  name: 'User',\n  fields: () => ({\n"
        "    name: { type: GraphQLString, resolve: (u) => u.n },\n"
        "    posts: { type: new GraphQLList(PostType), args: { first: { type: GraphQLString } }, resolve: posts },\n"
        "  }),\n});\n"
        "const root = new GraphQLObjectType({\n  name: 'Root',\n"
        "  fields: { me: { type: UserType, resolve() { return 1 } } },\n});\n"
        "export const schema = new GraphQLSchema({ query: root });\n",
    },
    "nexus": {
        "s.ts": "import { objectType, queryField, extendType, nonNull } from 'nexus';\n"
        "export const Post = objectType({ name: 'Post', definition(t) { t.string('title') } });\n"
        "export const User = objectType({\n  name: 'User',\n  definition(t) {\n    t.nonNull.string('name')\n"
        "    t.nonNull.list.nonNull.field('posts', { type: 'Post', resolve: () => [] })\n  },\n});\n"
        "export const me = queryField('me', { type: nonNull(User), resolve: () => 1 });\n",
    },
    "pothos": {
        "b.ts": "import SchemaBuilder from '@pothos/core';\nexport const builder = new SchemaBuilder({});\n"
        "builder.queryType({});\n",
        "s.ts": "import { builder } from './b';\n"
        "const PostRef = builder.objectRef<Post>('Post').implement({\n"
        "  fields: (t) => ({ title: t.exposeString('title') }),\n});\n"
        "export const UserRef = builder.objectRef<User>('User');\n"
        "builder.objectType(UserRef, {\n  name: 'User',\n  fields: (t) => ({\n    name: t.exposeString('name', {}),\n"
        "    posts: t.field({ type: [PostRef], resolve: () => [] }),\n  }),\n});\n"
        "builder.prismaObject('User', { include: { roles: true }, variant: 'Member' });\n"
        "builder.queryField('me', (t) => t.field({ type: UserRef, nullable: true, resolve: () => 1 }));\n",
    },
}


@pytest.mark.parametrize("form", CODE_FIRST)
def test_a_schema_that_calls_make_is_one(form: str) -> None:
    files = {**CODE_FIRST[form], "c.ts": CLIENT}
    code, root = ("s.js", "Root") if form == "graphql-js" else ("s.ts", "Query")
    asked = [f"{root}.me", "Post.title", "User.name", "User.posts"]
    assert _links(files, "references") == sorted(f"c.ts:asked -> {code}#{name}" for name in asked)
    assert [link.partition(" -> ")[0] for link in _links(files)] == sorted(f"{code}#{name}" for name in asked)


@pytest.mark.parametrize("form", CODE_FIRST)
def test_where_a_file_has_what_calls_make_it_counts_alone(form: str) -> None:
    made = SCHEMA.replace("name: String lastPost: Post", "name: String posts: [Post]")
    files = {**CODE_FIRST[form], "c.ts": CLIENT, "schema.graphql": made}
    asked = ["Post.title", "Query.me", "User.name", "User.posts"]
    assert _links(files, "references") == [f"c.ts:asked -> schema.graphql#{name}" for name in asked]
    served = {link.partition(" -> ")[0] for link in _links(files) if link.startswith("schema.graphql")}
    assert served == {f"schema.graphql#{name}" for name in asked if form != "graphql-js" or name != "Query.me"}
