//! Read-only kinds: `client.views::<Tunnel>().list()`.

use super::Client;
use crate::{
    Id, Result,
    resource::{AuditEvent, AuditFilter, Removable, SessionCommand, SessionCommandBody, TunnelSession, View},
};
use reqwest::Method;
use std::marker::PhantomData;

/// Operations on a view.
#[derive(Debug)]
pub struct Views<'a, V> {
    client: &'a Client,
    kind: PhantomData<fn() -> V>,
}

/// One page of a view, newest first.
#[derive(Clone, Debug)]
pub struct ViewPage<V> {
    /// Records of this page.
    pub records: Vec<V>,
    /// Absolute URL of the next page, if any.
    pub next_page_uri: Option<String>,
}

impl Client {
    /// Operations on a view.
    pub fn views<V: View>(&self) -> Views<'_, V> {
        Views { client: self, kind: PhantomData }
    }
}

impl Views<'_, TunnelSession> {
    /// Sends a command to the agent of a session.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn command(&self, id: &Id<TunnelSession>, command: SessionCommand) -> Result<()> {
        let url = self.client.url(&format!("{}/{id}/{}", TunnelSession::PATH, command.as_str()));
        self.client.send(Method::POST, &url, Some(&SessionCommandBody {})).await.map(|_| ())
    }
}

impl Views<'_, AuditEvent> {
    /// Reads the first page of the events that pass a filter, with at most `limit` events (1 to 100).
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn find(&self, filter: &AuditFilter, limit: usize) -> Result<ViewPage<AuditEvent>> {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("limit", &limit.to_string()).extend_pairs(filter.parameters());
        self.page_at(&self.client.url(&format!("{}?{}", AuditEvent::PATH, query.finish()))).await
    }
}

impl<V: Removable> Views<'_, V> {
    /// Deletes a record.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn delete(&self, id: &Id<V>) -> Result<()> {
        let url = self.client.url(&format!("{}/{id}", V::PATH));
        self.client.send(Method::DELETE, &url, None::<&()>).await.map(|_| ())
    }
}

impl<V: View> Views<'_, V> {
    /// Reads a record.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn get(&self, id: &Id<V>) -> Result<V> {
        let url = self.client.url(&format!("{}/{id}", V::PATH));
        self.client.call(Method::GET, &url, None::<&()>).await
    }

    /// Reads the first page, with at most `limit` records (1 to 100).
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn page(&self, limit: usize) -> Result<ViewPage<V>> {
        self.page_at(&self.client.url(&format!("{}?limit={limit}", V::PATH))).await
    }

    /// Reads the page after `page`, if there is one.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn next(&self, page: &ViewPage<V>) -> Result<Option<ViewPage<V>>> {
        match &page.next_page_uri {
            Some(uri) => self.page_at(&self.client.own(V::PATH, uri)).await.map(Some),
            None => Ok(None),
        }
    }

    /// Reads all records, page by page, newest first.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn list(&self) -> Result<Vec<V>> {
        let mut page = self.page(100).await?;
        let mut records = std::mem::take(&mut page.records);
        while let Some(mut next) = self.next(&page).await? {
            records.append(&mut next.records);
            page = next;
        }
        Ok(records)
    }

    async fn page_at(&self, url: &str) -> Result<ViewPage<V>> {
        let (records, next_page_uri) = self.client.page_at(url, V::LIST).await?;
        Ok(ViewPage { records, next_page_uri })
    }
}
