import type { PageLocation } from './location'
import type { EventName, Service, Subject } from './service'
import { retryOnce } from './retry-once'

const SCRIPT = 'https://www.googletagmanager.com/gtag/js'

declare global {
  interface Window {
    dataLayer?: unknown[]
  }
}

/** Queues a command; the tag's script works through the queue once it has loaded. */
const gtag: (...command: unknown[]) => void = function () {
  window.dataLayer ??= []
  // The tag takes an Arguments object for a command and an array for data.
  // eslint-disable-next-line prefer-rest-params
  window.dataLayer.push(arguments)
}

function loadScript(id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.async = true
    script.src = `${SCRIPT}?id=${encodeURIComponent(id)}`
    script.onload = () => resolve()
    script.onerror = () => {
      script.remove()
      reject(new Error('the Google tag did not load'))
    }
    document.head.append(script)
  })
}

/** An event as the tag takes it: page path, category, label and value. */
function parameters(event: EventName, page: PageLocation, subject?: Subject) {
  return {
    page_path: page.path + page.search + page.hash,
    page_location: window.location.origin + page.path + page.search + page.hash,
    page_title: document.title,
    ...(subject && { event_category: event, event_label: subject.label, value: 1 }),
  }
}

/**
 * Loads the Google tag of the measurement `id`. Advertising stays denied in its consent mode, and it
 * sets host-only cookies. Rejects when its script loads neither at first nor at the retry.
 */
export async function openGoogleTag(id: string): Promise<Service> {
  const denied = { ad_storage: 'denied', ad_user_data: 'denied', ad_personalization: 'denied' }
  const consent = (given: boolean) => {
    gtag('consent', 'update', { analytics_storage: given ? 'granted' : 'denied' })
    // The tag's own switch: while it is true, nothing is sent for this measurement.
    Object.assign(window, { [`ga-disable-${id}`]: !given })
  }

  gtag('consent', 'default', { ...denied, analytics_storage: 'denied' })
  consent(true)
  gtag('js', new Date())
  gtag('config', id, {
    send_page_view: false,
    allow_google_signals: false,
    allow_ad_personalization_signals: false,
    cookie_domain: 'none',
    // Else the tag reads the address bar and the referrer itself.
    page_location: window.location.origin,
    page_referrer: '',
  })
  await retryOnce(() => loadScript(id))

  return {
    track: (event, page, subject) =>
      gtag('event', event.toLowerCase().replace(' ', '_'), parameters(event, page, subject)),
    // Google's terms forbid names and email addresses: only the id is sent.
    identify: ({ id: person }) => gtag('set', { user_id: person }),
    forget: () => gtag('set', { user_id: null }),
    consent,
  }
}
