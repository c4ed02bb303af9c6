"""What runs before a route in frameworks of other languages, and what is known to be missing from that."""

from __future__ import annotations

from graphls.graph.identity import symbol_name
from graphls.queries.entry_list import entry_list
from graphls.queries.entry_middleware import entry_middleware, middleware_gap
from graphls.session.memory import snapshot_of


def before(files: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    """What runs before each entry, and how."""
    snapshot = snapshot_of(files)
    return {
        one.entry.name: [
            (each.how, symbol_name(snapshot, each.place).rpartition(":")[2] if each.place is not None else each.name)
            for each in entry_middleware(snapshot, one.entry, one.handlers)
        ]
        for one in entry_list(snapshot).entries
    }


def gaps(files: dict[str, str]) -> dict[str, str]:
    snapshot = snapshot_of(files)
    return {one.entry.name: middleware_gap(snapshot, one.entry) for one in entry_list(snapshot).entries}


GO = """package main

import "github.com/go-chi/chi/v5"

func log() {}
func auth() {}
func player() {}
func once() {}
func home() {}

func routes() chi.Router {
	outer := chi.NewRouter()
	outer.Use(log)
	outer.Get("/open", home)
	outer.With(once).Get("/once", home)
	outer.Group(func(r chi.Router) {
		r.Use(auth)
		r.Get("/own", home)
		r.Route("/deep", func(r chi.Router) {
			r.Use(player)
			r.Get("/end", home)
		})
	})
	return outer
}
"""


def test_groups_of_go_have_what_is_around_them() -> None:
    found = before({"go.mod": "module shop\n", "main.go": GO})
    assert found == {
        "GET /open": [("use", "log")],
        "GET /once": [("use", "log"), ("use", "once")],
        "GET /own": [("use", "log"), ("use", "auth")],
        "GET /deep/end": [("use", "log"), ("use", "auth"), ("use", "player")],
    }


def test_groups_of_gin_take_what_they_are_made_with() -> None:
    text = (
        'package main\n\nimport "github.com/gin-gonic/gin"\n\nfunc auth() {}\nfunc admin() {}\nfunc rows() {}\n\n'
        'func main() {\n\te := gin.Default()\n\tv1 := e.Group("/v1", auth)\n\tin := v1.Group("/in")\n\tin.Use(admin)\n'
        '\tin.GET("/rows", rows)\n}\n'
    )
    files = {"go.mod": "module shop\n", "main.go": text}
    assert before(files) == {"GET /v1/in/rows": [("use", "auth"), ("use", "admin")]}
    assert gaps(files) == {"GET /v1/in/rows": ""}


def test_a_router_that_a_function_returns_is_said_not_to_be_followed() -> None:
    found = gaps({"go.mod": "module shop\n", "main.go": GO})
    assert all("given on by a function" in said for said in found.values())
    text = "from bottle import get\n\n\n@get('/x')\ndef x(): ...\n"
    assert "not read" in gaps({"app.py": text})["GET /x"]


def test_groups_of_laravel_and_short_names() -> None:
    routes = """<?php
use App\\Http\\Controllers\\RowController;
use Illuminate\\Support\\Facades\\Route;

Route::prefix('api')->middleware(['log', 'throttle:10,1'])->group(function () {
    Route::get('open', [RowController::class, 'open']);
    Route::group(['middleware' => 'auth'], function () {
        Route::get('rows', [RowController::class, 'rows'])->name('rows')->middleware(Signed::class);
    });
});
"""
    controller = "<?php\nnamespace App\\Http\\Controllers;\nclass RowController {\n"
    controller += "  function open() {}\n  function rows() {}\n}\n"
    kernel = """<?php
namespace App\\Http;
use App\\Http\\Middleware\\Log;
class Kernel { protected $routeMiddleware = ['log' => Log::class, 'auth' => \\App\\Other::class]; }
"""
    found = before({
        "routes/api.php": routes, "app/Http/Controllers/RowController.php": controller,
        "app/Http/Kernel.php": kernel,
        "app/Http/Middleware/Log.php": "<?php\nnamespace App\\Http\\Middleware;\nclass Log {}\n",
    })  # fmt: skip
    assert [how for how, _ in found["GET /api/rows"]] == ["middleware"] * 4
    assert [name.rpartition(".")[2] for _, name in found["GET /api/rows"]] == ["Log", "throttle:10,1", "auth", "Signed"]
    assert [name.rpartition(".")[2] for _, name in found["GET /api/open"]] == ["Log", "throttle:10,1"]


def test_callbacks_of_rails_with_what_classes_below_skip() -> None:
    found = before({
        "Gemfile": "gem 'rails'\n",
        "config/routes.rb": (
            "Rails.application.routes.draw do\n  get '/new' => 'rows#new'\n  get '/all' => 'rows#all'\nend\n"
        ),
        "app/controllers/application_controller.rb": (
            "class ApplicationController\n  before_action :log, :user\n  after_action :late\n\n"
            "  def log\n  end\n\n  def user\n  end\nend\n"
        ),
        "app/controllers/rows_controller.rb": (
            "class RowsController < ApplicationController\n  skip_before_action :user, only: [:all]\n"
            "  before_action :login,\n    only: [:new]\n  around_action :timed, except: :new\n\n"
            "  def new\n  end\n\n  def all\n  end\n\n  private\n\n  def login\n  end\nend\n"
        ),
    })  # fmt: skip
    own, base = "RowsController.", "ApplicationController."
    assert found == {
        "GET /new": [
            ("before_action", f"{base}log"),
            ("before_action", f"{base}user"),
            ("before_action", f"{own}login"),
        ],
        "GET /all": [("before_action", f"{base}log"), ("around_action", "timed")],
    }


def test_filters_and_interceptors_of_spring() -> None:
    found = before({
        "src/main/java/a/Rows.java": (
            "package a;\nimport org.springframework.web.bind.annotation.*;\n@RestController\nclass Rows {\n"
            '  @GetMapping("/api/rows")\n  String rows() { return ""; }\n'
            '  @GetMapping("/api/open/x")\n  String open() { return ""; }\n'
            '  @GetMapping("/out")\n  String out() { return ""; }\n}\n'
        ),
        "src/main/java/a/Log.java": (
            "package a;\nimport jakarta.servlet.Filter;\nimport org.springframework.stereotype.Component;\n"
            "@Component\nclass Log implements Filter {}\n"
        ),
        "src/main/java/a/Plain.java": "package a;\nimport jakarta.servlet.Filter;\nclass Plain implements Filter {}\n",
        "src/main/java/a/Auth.java": "package a;\nclass Auth {}\n",
        "src/main/java/a/Web.java": (
            "package a;\nclass Web {\n  void addInterceptors(InterceptorRegistry registry) {\n"
            '    registry.addInterceptor(new Auth())\n        .addPathPatterns("/api/**")\n'
            '        .excludePathPatterns("/api/open/**");\n  }\n}\n'
        ),
    })  # fmt: skip
    log = ("filter", "Log")
    assert found == {"GET /api/rows": [log, ("interceptor", "Auth")], "GET /api/open/x": [log], "GET /out": [log]}


AXUM = """use axum::{middleware::from_fn, routing::get, Router};

async fn rows() {}
async fn log() {}
async fn auth() {}
async fn outer() {}

fn inner() -> Router {
    Router::new().route("/rows", get(rows)).route_layer(from_fn(auth)).layer(TimeoutLayer::new(1))
}

fn wrap(state: u8, router: Router) -> Router {
    let stack = ServiceBuilder::new().layer(TraceLayer::new_for_http()).layer(from_fn(log));
    router.layer(stack)
}

async fn main() {
    let app = Router::new().nest("/api", inner());
    let app = wrap(1, app).layer(from_fn_with_state(1, outer));
    axum::serve(listener, app).await;
}
"""


def test_layers_of_axum_are_around_the_functions_that_give_routers_on() -> None:
    files = {"Cargo.toml": "[package]\nname = 'x'\n[dependencies]\naxum = '1'\n", "src/main.rs": AXUM}
    found = before(files)
    assert found["GET /api/rows"] == [
        ("layer", "outer"),
        ("layer", "TraceLayer"),
        ("layer", "log"),
        ("layer", "TimeoutLayer"),
        ("layer", "auth"),
    ]
    assert gaps(files)["GET /api/rows"] == ""
    files["src/main.rs"] = AXUM[: AXUM.index("async fn main")]
    assert "given on" in next(iter(gaps(files).values()))


def test_what_an_annotation_is_given_runs_nothing() -> None:
    text = (
        "<?php\nnamespace App;\nuse Symfony\\Component\\Routing\\Annotation\\Route;\nclass Notes\n{\n"
        "    #[Route(path: '/notes/{id}', name: 'notes', methods: ['POST'], defaults: ['f' => 'json'])]\n"
        "    #[IsGranted('ADD', subject: 'id')]\n    public function add($id)\n    {\n"
        "        $note = new Note();\n        $form = $this->forms->make('', Kind::class, $note, ['deep' => true]);\n"
        "        return $form;\n    }\n}\n"
    )
    assert before({"src/Notes.php": text}) == {"POST /notes/{id}": []}
