import { loadSettings, type Settings } from '@/config/settings'
import type { User } from '@/lib/api/types'
import { readConsent, browserOptsOut } from './consent'
import { type Place, safeLocation } from './location'
import type { EventName, Service, Subject } from './service'
import { removeStored } from './stored'
import { retryOnce } from './retry-once'

/** Loads the services that have a key in `settings`; one that fails to load is null. */
function open({ posthogKey, posthogHost, measurementId }: Settings['analytics']) {
  const opening: Promise<Service>[] = []
  if (posthogKey) {
    const load = () => import('./posthog')
    opening.push(retryOnce(load).then(({ openPosthog }) => openPosthog(posthogKey, posthogHost)))
  }
  if (measurementId) {
    const load = () => import('./google-tag')
    opening.push(retryOnce(load).then(({ openGoogleTag }) => openGoogleTag(measurementId)))
  }
  return opening.map((service) =>
    service.catch((error: unknown) => {
      console.warn('analytics:', error)
      return null
    }),
  )
}

let opened: Promise<Service | null>[] | undefined
/** Who is signed in, in case they give consent only after the sign-in. */
let person: User | null = null

/** What may be sent about the page; null without consent and on the sign-in pages. */
function currentPage(location: Place = window.location) {
  const agreed = readConsent() === 'accepted' && !browserOptsOut()
  return agreed ? safeLocation(location) : null
}

/** Calls `act` with each service that loads, in the order of the calls. Never rejects. */
async function withServices(act: (service: Service) => void): Promise<void> {
  const { analytics } = await loadSettings()
  if (!currentPage()) return
  opened ??= open(analytics)
  await Promise.all(
    opened.map(async (opening) => {
      const service = await opening
      // Consent may have been withdrawn while the service was loading.
      if (!service || !currentPage()) return
      try {
        act(service)
      } catch (error) {
        console.warn('analytics:', error)
      }
    }),
  )
}

/**
 * Sends an event at `location` to the analytics services that /config.json has keys for. Without consent, on the
 * sign-in pages, or when the browser opts out, nothing is sent and no service is loaded. Never rejects: a failure is
 * only logged.
 */
export async function track(
  event: EventName,
  subject?: Subject,
  location: Place = window.location,
): Promise<void> {
  const page = currentPage(location)
  if (page) await withServices((service) => service.track(event, page, subject))
}

/**
 * Attributes events to the signed-in person (id, email, provider) from now until `forget`. Sends nothing where
 * `track` sends nothing.
 */
export async function identify(user: User): Promise<void> {
  person = user
  await withServices((service) => service.identify(user))
}

/** Makes the events that follow anonymous, under an id of their own. */
export async function forget(): Promise<void> {
  person = null
  await withServices((service) => service.forget())
}

/** Stops each service once it has loaded, and removes what it stored, even if it never loads. */
async function withdraw(): Promise<void> {
  removeStored()
  await Promise.all(
    (opened ?? []).map(async (opening) => {
      const service = await opening
      // The visitor may have accepted again meanwhile.
      if (!service || readConsent() === 'accepted') return
      service.consent(false)
      removeStored()
    }),
  )
}

/** Applies the visitor's answer: starts with a view of the current page, or stops and deletes what was stored. */
export async function applyConsent(): Promise<void> {
  if (readConsent() !== 'accepted') return withdraw()
  await withServices((service) => service.consent(true))
  if (person) await identify(person)
  await track('Page View')
}
