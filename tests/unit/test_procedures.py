"""Procedures: routers of tRPC, clients that are typed by them, and the way from one to the other.

Owns: a workspace with routers in several files and forms, and clients of each kind.
Must not know: how routers are read.
Invariant: a procedure is a route under the keys that lead to it; what is no router of the library declares nothing.
"""

from __future__ import annotations

from fixture_text import fixture
from graphls.graph.derivation import DerivedNode
from graphls.graph.snapshot import Snapshot
from graphls.queries.entry import entry, find_entry
from graphls.queries.entry_list import entry_list
from graphls.queries.entry_view import EntryView, entry_view
from graphls.queries.impact import ImpactQuery, impact
from graphls.queries.node_views import Presenter
from graphls.queries.symbol_lookup import one_symbol
from graphls.session.memory import snapshot_of

SERVED = """
    --- path: package.json ---
    {"name": "toy", "dependencies": {"@trpc/server": "11"}}
    --- path: server/trpc.ts ---
    import { initTRPC } from "@trpc/server";
    const t = initTRPC.context<Ctx>().create({ isServer: true });
    export const createRouter = t.router;
    export const open = t.procedure;
    export const closed = t.procedure.use(async (opts) => opts.next());
    --- path: server/posts.ts ---
    import { createRouter, open, closed } from "./trpc";
    import { removePost } from "./remove";
    import { load, save } from "./store";
    export const postRouter = createRouter({
        /* { not: a member } */
        byId: open.input(z.object({ id: z.string(), deep: z.number().optional() }))
            // .meta({ openapi: { path: "/no" } })
            .query(async ({ input }) => load(input.id)),
        save: closed.input(SaveSchema).mutation(save),
        remove: removePost,
        constant: 5,
        nested: createRouter({ list: open.query(() => []) }),
        plain: { ping: open.query(() => "pong") },
        "quoted": open.subscription(async function* () { yield 1; }),
    });
    --- path: server/remove.ts ---
    import { closed } from "./trpc";
    import { drop } from "./store";
    export const removePost = closed.input(RemoveSchema).mutation(async ({ input }) => drop(input.id));
    --- path: server/store.ts ---
    export function load(id: string) { return id; }
    export function save() { return 1; }
    export function drop(id: string) { return id; }
    --- path: server/root.ts ---
    import { createRouter } from "./trpc";
    import { postRouter } from "./posts";
    export const appRouter = createRouter({ post: postRouter });
    export type AppRouter = typeof appRouter;
    --- path: other.ts ---
    export function router(routes: object) { return routes; }
    export const mine = router({ fake: open.query(() => 1) });
    --- path: web/client.ts ---
    import { createTRPCReact } from "@trpc/react-query";
    import { createTRPCClient } from "@trpc/client";
    import type { AppRouter } from "../server/root";
    export const api = createTRPCReact<AppRouter>();
    export const client = createTRPCClient<AppRouter>({ links: [] });
    --- path: web/page.tsx ---
    import { api, client } from "./client";
    import { useQuery } from "elsewhere";
    export function Page() {
        const { data } = api.post.byId.useQuery({ id: "1" });
        const utils = api.useUtils();
        return data;
    }
    export function Cached() {
        const utils = api.useUtils();
        utils.post.byId.invalidate();
    }
    export async function remove() { await client.post.remove.mutate({ id: "1" }); }
    export function unrelated(store: any) { return store.post.byId.useQuery(); }
    export function http() { return fetch("/post/byId"); }
"""


def snapshot() -> Snapshot:
    return snapshot_of(fixture(SERVED).files)


def shown(name: str) -> EntryView:
    known = snapshot()
    return entry_view(Presenter(known), entry(known, find_entry(known, name)))


def test_every_member_of_routers_is_a_route() -> None:
    found = entry_list(snapshot(), limit=100).entries
    assert [one.entry.name for one in found if one.entry.subkind == "procedure"] == [
        "QUERY /post/byId",
        "MUTATION /post/save",
        "MUTATION /post/remove",
        "QUERY /post/nested/list",
        "QUERY /post/plain/ping",
        "SUBSCRIPTION /post/quoted",
    ]


def test_handlers_and_consumers() -> None:
    by_id, save, remove = shown("QUERY /post/byId"), shown("post.save"), shown("/post/remove")
    assert [one.symbol for one in by_id.handlers] == ["server/store.ts:load"]
    assert {one.symbol for one in by_id.consumers} == {"web/page.tsx:Page", "web/page.tsx:Cached"}
    assert [(one.declared, one.required) for one in by_id.inputs] == [
        ("id: z.string()", True),
        ("deep: z.number().optional()", False),
    ]
    assert [one.symbol for one in save.handlers] == ["server/store.ts:save"]
    assert [one.declared for one in save.inputs] == ["input: SaveSchema"]
    assert [one.symbol for one in remove.handlers] == ["server/remove.ts:removePost"]
    assert [one.symbol for one in remove.consumers] == ["web/page.tsx:remove"]
    assert [one.declared for one in remove.inputs] == ["input: RemoveSchema"]


def test_impact_reaches_the_clients() -> None:
    known = snapshot()
    for symbol, caller in (("load", "web/page.tsx:Page"), ("drop", "web/page.tsx:remove")):
        place = one_symbol(known, f"server/store.ts:{symbol}")
        reached = impact(known, ImpactQuery(place, "upstream", 5)).affected
        names = {Presenter(known).symbol(one.node) for one in reached if not isinstance(one.node, (str, DerivedNode))}
        assert caller in names


def test_a_workspace_without_the_library_has_none() -> None:
    files = {path: text for path, text in fixture(SERVED).files.items() if path != "server/trpc.ts"}
    assert not [one for one in entry_list(snapshot_of(files)).entries if one.entry.subkind == "procedure"]


JOINED = """
    --- path: package.json ---
    {"name": "toy", "dependencies": {"@trpc/server": "11"}}
    --- path: server/trpc.ts ---
    import { initTRPC } from "@trpc/server";
    const t = initTRPC.create();
    export const router = t.router;
    export const open = t.procedure;
    export const mergeRouters = t.mergeRouters;
    export const createCallerFactory = t.createCallerFactory;
    --- path: server/users.ts ---
    import { router, open } from "./trpc";
    import { findUser } from "./store";
    export const userRouter = router({ find: open.query(() => findUser()) });
    --- path: server/posts.ts ---
    import { router, open } from "./trpc";
    import { dropPost } from "./store";
    export const postRouter = router({ drop: open.mutation(() => dropPost()) });
    --- path: server/slow.ts ---
    import { router, open } from "./trpc";
    export const slowRouter = router({ hello: open.query(() => "world") });
    --- path: server/named.ts ---
    import { router, open } from "./trpc";
    export const other = router({ no: open.query(() => 1) });
    export const wanted = router({ yes: open.query(() => 1) });
    --- path: server/two.ts ---
    import { router, open } from "./trpc";
    export const one = router({ a: open.query(() => 1) });
    export const two = router({ b: open.query(() => 1) });
    --- path: server/default.ts ---
    import { router, open } from "./trpc";
    const mine = router({ own: open.query(() => 1) });
    export const hidden = router({ hid: open.query(() => 1) });
    export default mine;
    --- path: server/store.ts ---
    export function findUser() { return 1; }
    export function dropPost() { return 2; }
    --- path: server/root.ts ---
    import { lazy } from "@trpc/server";
    import { createCallerFactory, mergeRouters, open, router } from "./trpc";
    import { userRouter } from "./users";
    import { postRouter } from "./posts";
    const merged = mergeRouters(userRouter, postRouter, router({ inline: open.query(() => 1) }));
    export const appRouter = router({
        all: merged,
        again: mergeRouters(postRouter),
        slow: lazy(() => import("./slow.js")),
        named: lazy(() => import("./named").then((m) => m.wanted)),
        unclear: lazy(() => import("./two")),
        own: lazy(() => import("./default")),
    });
    export const createCaller = createCallerFactory(appRouter);
    --- path: server/jobs.ts ---
    import { appRouter, createCaller } from "./root";
    export async function nightly() {
        const caller = appRouter.createCaller({});
        return caller.all.find();
    }
    export async function hourly() {
        const api = createCaller({});
        return api.all.drop({ id: 1 });
    }
    export async function once() { return appRouter.createCaller({}).slow.hello(); }
    export function unrelated(caller: any) { return caller.all.find(); }
"""


def test_routers_are_merged_and_loaded_late() -> None:
    found = {one.entry.name for one in entry_list(snapshot_of(fixture(JOINED).files), limit=100).entries}
    assert {
        "QUERY /all/find", "MUTATION /all/drop", "QUERY /all/inline", "MUTATION /again/drop", "QUERY /slow/hello",
        "QUERY /named/yes", "QUERY /own/own",
    } <= found  # fmt: skip
    assert not {name for name in found if name.startswith(("QUERY /unclear", "QUERY /named/no", "QUERY /own/hid"))}


def test_calls_in_the_same_process_are_consumers() -> None:
    known = snapshot_of(fixture(JOINED).files)

    def consumers(name: str) -> set[str]:
        view = entry_view(Presenter(known), entry(known, find_entry(known, name)))
        return {one.symbol for one in view.consumers}

    assert consumers("QUERY /all/find") == {"server/jobs.ts:nightly"}
    assert consumers("MUTATION /all/drop") == {"server/jobs.ts:hourly"}
    assert consumers("QUERY /slow/hello") == {"server/jobs.ts:once"}


def test_impact_reaches_calls_in_the_same_process() -> None:
    known = snapshot_of(fixture(JOINED).files)
    reached = impact(known, ImpactQuery(one_symbol(known, "server/store.ts:findUser"), "upstream", 5)).affected
    names = {Presenter(known).symbol(one.node) for one in reached if not isinstance(one.node, (str, DerivedNode))}
    assert "server/jobs.ts:nightly" in names


RECORDS = """
    --- path: package.json ---
    {"name": "toy", "dependencies": {"@trpc/server": "11"}}
    --- path: server/trpc.ts ---
    import { initTRPC } from "@trpc/server";
    const t = initTRPC.create();
    export const createRouter = t.router;
    export const open = t.procedure.use(timed);
    export const closed = open.use(async (opts) => opts.next());
    --- path: server/posts.ts ---
    import type { TRPCRouterRecord } from "@trpc/server";
    import { closed, open } from "./trpc";
    import { load, save } from "./store";
    export const postRouter = {
        all: open.query(() => load()),
        save: closed.input(SaveSchema).mutation(save),
    } satisfies TRPCRouterRecord;
    export const store = { all: other.query(() => load()), limit: 10 };
    --- path: server/store.ts ---
    export function load() { return 1; }
    export function save() { return 1; }
    --- path: server/root.ts ---
    import { createRouter } from "./trpc";
    import { postRouter } from "./posts";
    export const appRouter = createRouter({ post: postRouter });
    --- path: web/client.ts ---
    import { createTRPCContext } from "@trpc/tanstack-react-query";
    export const { useTRPC, TRPCProvider } = createTRPCContext<AppRouter>();
    --- path: web/page.tsx ---
    import { useTRPC } from "./client";
    import { useStore } from "./other";
    export function Page() {
        const trpc = useTRPC();
        return useQuery(trpc.post.all.queryOptions());
    }
    export function Part() {
        const { post } = useTRPC();
        return useQuery(post.all.queryOptions());
    }
    export function unrelated() {
        const store = useStore();
        return useQuery(store.post.all.queryOptions());
    }
"""


def test_objects_of_procedures_are_taken_in_by_routers() -> None:
    known = snapshot_of(fixture(RECORDS).files)
    found = [one.entry for one in entry_list(known).entries if one.entry.subkind == "procedure"]
    assert [one.name for one in found] == ["QUERY /post/all", "MUTATION /post/save"]
    view = entry_view(Presenter(known), entry(known, found[0]))
    assert [one.symbol for one in view.handlers] == ["server/store.ts:load"]
    assert [one.symbol for one in view.consumers] == ["web/page.tsx:Page"]
