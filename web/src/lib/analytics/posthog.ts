import { type CaptureResult, PostHog } from 'posthog-js/dist/module.slim.no-external'
import { safeLocation, sensitiveNames } from './location'
import type { Service } from './service'

/** The only properties that leave the page: the product's own, and those that tell browsers apart. */
const shared = new Set([
  ...['path', 'search', 'hash', 'label', '$current_url', '$pathname', '$host'],
  ...['token', 'distinct_id', '$device_id', '$anon_distinct_id', '$session_id', '$window_id'],
  ...['$is_identified', '$process_person_profile', '$insert_id', '$time', '$lib', '$lib_version'],
  ...['$browser', '$browser_version', '$os', '$os_version', '$device_type'],
  ...['$viewport_height', '$viewport_width'],
])

/** Drops an event of a page that may not be told of, and all properties that nobody asked for. */
function sanitize(event: CaptureResult | null): CaptureResult | null {
  const page = safeLocation(window.location)
  if (!event || !page) return null
  const address = window.location.origin + page.path + page.search + page.hash
  const properties = {
    ...event.properties,
    $current_url: address,
    $pathname: page.path,
    $host: window.location.host,
  }
  const { uuid, timestamp, $set } = event
  return {
    uuid,
    event: event.event,
    timestamp,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => shared.has(name))),
    // Only what `identify` says of a person; the first address of a visit is not kept.
    ...(event.event === '$identify' && { $set }),
  }
}

/** Starts PostHog without anything that acts by itself; `host` is its ingestion origin. */
export function openPosthog(key: string, host: string): Service {
  const posthog = new PostHog()
  posthog.init(key, {
    api_host: host,
    persistence: 'localStorage',
    before_send: sanitize,
    autocapture: false,
    capture_pageview: false,
    capture_pageleave: false,
    capture_performance: false,
    capture_exceptions: false,
    capture_heatmaps: false,
    capture_dead_clicks: false,
    rageclick: false,
    disable_session_recording: true,
    disable_surveys: true,
    disable_external_dependency_loading: true,
    advanced_disable_flags: true,
    // An event leaves at once: pages of text are left by loading another one.
    request_batching: false,
    // Nothing of an address is kept that does not leave the page either.
    save_referrer: false,
    save_campaign_params: false,
    mask_personal_data_properties: true,
    custom_personal_data_properties: sensitiveNames(window.location.search),
    disable_capture_url_hashes: true,
    respect_dnt: true,
  })
  /** PostHog keeps the address of a visit's first event: the names to mask in it come just before. */
  const mask = () => {
    const names = sensitiveNames(window.location.search)
    posthog.set_config({ custom_personal_data_properties: names })
  }
  const identified = () => posthog.get_property('$user_state') === 'identified'

  return {
    track(event, page, subject) {
      mask()
      posthog.capture(event, { ...page, ...subject })
    },
    identify({ id, email, app_metadata }) {
      mask()
      if (identified() && posthog.get_distinct_id() === id) return
      if (identified()) posthog.reset(true)
      posthog.identify(id, { email, provider: app_metadata.provider })
    },
    forget() {
      if (identified()) posthog.reset(true)
    },
    consent(given) {
      if (!given) posthog.reset(true)
      posthog.set_config({ disable_persistence: !given })
    },
  }
}
