//! The admin API: plain HTTP for health checks, monitors, the CLI and (later) the console. Reads only.

mod metrics;
mod services;
mod status;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use orana_node::Centre;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::frontend::zookeeper::Face;

/// What every answer may look at.
#[derive(Clone)]
struct Admin {
    centre: Centre,
    face: Arc<Face>,
    stopping: watch::Receiver<bool>,
}

/// Serves until `stopping` says true.
pub async fn serve(listener: TcpListener, centre: Centre, face: Arc<Face>, stopping: watch::Receiver<bool>) {
    let admin = Admin {
        centre,
        face,
        stopping: stopping.clone(),
    };
    let router = Router::new()
        .route("/health/live", get(live))
        .route("/health/ready", get(ready))
        .route("/metrics", get(metrics))
        .route("/v1/status", get(status))
        .route("/v1/services", get(services))
        .with_state(admin);
    let mut until = stopping;
    let stopped = async move {
        let _ = until.wait_for(|stop| *stop).await;
    };
    let serving = axum::serve(listener, router).with_graceful_shutdown(stopped);
    if let Err(error) = serving.await {
        tracing::error!(%error, "the admin API ended");
    }
}

/// The process runs.
async fn live() -> &'static str {
    "live\n"
}

/// Requests are served: this member leads and is not stopping.
async fn ready(State(admin): State<Admin>) -> Response {
    let role = admin.centre.status().role;
    if *admin.stopping.borrow() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response();
    }
    if role != "leader" {
        return (StatusCode::SERVICE_UNAVAILABLE, format!("not serving: {role}\n")).into_response();
    }
    "ready\n".into_response()
}

async fn metrics(State(admin): State<Admin>) -> Response {
    let text = metrics::text(&admin.centre, &admin.face);
    (
        [(
            header::CONTENT_TYPE,
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
        )],
        text,
    )
        .into_response()
}

async fn status(State(admin): State<Admin>) -> axum::Json<status::Status> {
    axum::Json(status::of(&admin.centre, &admin.face))
}

/// Which page of a list.
#[derive(Deserialize)]
struct Page {
    page: Option<usize>,
    size: Option<usize>,
}

/// Rows of a page unless said otherwise, and at most.
const PAGE: usize = 50;
const MAX_PAGE: usize = 1000;

async fn services(State(admin): State<Admin>, Query(page): Query<Page>) -> Response {
    let (page, size) = (page.page.unwrap_or(1), page.size.unwrap_or(PAGE));
    if page == 0 || size == 0 || size > MAX_PAGE {
        let what = format!("`page` counts from 1 and `size` is from 1 to {MAX_PAGE}\n");
        return (StatusCode::BAD_REQUEST, what).into_response();
    }
    // A copy that does not change, looked through where it does not hold up anybody.
    let state = admin.centre.frozen();
    match tokio::task::spawn_blocking(move || services::page(&state, page, size)).await {
        Ok(services) => axum::Json(services).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}
