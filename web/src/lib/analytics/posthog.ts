import { type CaptureResult, PostHog } from 'posthog-js/dist/module.slim.no-external'
import { safeLocation, sensitiveNames } from './location'
import type { Service } from './service'

/** The properties that may be sent: the product's own, and those that identify the kind of browser. */
const allowList = new Set([
  ...['path', 'search', 'hash', 'label', '$current_url', '$pathname', '$host'],
  ...['token', 'distinct_id', '$device_id', '$anon_distinct_id', '$session_id', '$window_id'],
  ...['$is_identified', '$process_person_profile', '$insert_id', '$time', '$lib', '$lib_version'],
  ...['$browser', '$browser_version', '$os', '$os_version', '$device_type'],
  ...['$viewport_height', '$viewport_width'],
])

/** Drops events of pages that send nothing, and every property that is not on the allow-list. */
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
    properties: Object.fromEntries(
      Object.entries(properties).filter(([name]) => allowList.has(name)),
    ),
    // Only what `identify` sets; PostHog's initial URL of the visit is dropped.
    ...(event.event === '$identify' && { $set }),
  }
}

/** Starts PostHog with autocapture and every other automatic feature off; `host` is its ingestion origin. */
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
    // No batching: visitors' pages are left by a page load, and a waiting batch would be lost.
    request_batching: false,
    // PostHog stores no more of an address than it may send.
    save_referrer: false,
    save_campaign_params: false,
    mask_personal_data_properties: true,
    custom_personal_data_properties: sensitiveNames(window.location.search),
    disable_capture_url_hashes: true,
    respect_dnt: true,
  })
  /** PostHog stores the address of a visit's first event, so the parameters to mask are set just before each event. */
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
