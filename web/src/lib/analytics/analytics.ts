import { loadSettings, type Settings } from '@/config/settings'
import type { User } from '@/lib/api/types'
import { readChoice, refusedByBrowser } from './choice'
import { type Place, safeLocation } from './location'
import type { EventName, Service, Subject } from './service'
import { removeStored } from './stored'
import { twice } from './twice'

/** The services with a key in `settings`, each loading once for a page. */
function open({ posthogKey, posthogHost, measurementId }: Settings['analytics']) {
  const opening: Promise<Service>[] = []
  if (posthogKey) {
    const load = () => import('./posthog')
    opening.push(twice(load).then(({ openPosthog }) => openPosthog(posthogKey, posthogHost)))
  }
  if (measurementId) {
    const load = () => import('./google-tag')
    opening.push(twice(load).then(({ openGoogleTag }) => openGoogleTag(measurementId)))
  }
  return opening.map((service) =>
    service.catch((error: unknown) => {
      console.warn('analytics:', error)
      return null
    }),
  )
}

let opened: Promise<Service | null>[] | undefined
/** Who is signed in, for a consent that comes later than the sign-in. */
let person: User | null = null

/** What may be told of the page now: nothing unless the visitor agreed, and of those of the sign-in. */
function currentPage(location: Place = window.location) {
  const agreed = readChoice() === 'accepted' && !refusedByBrowser()
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
      // It may have been withdrawn while the service was loading.
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
 * Sends an event at `location` to the analytics services that /config.json has keys for. Sends and loads nothing
 * before the visitor agreed, on the sign-in pages, or when the browser asks not to be tracked.
 * Never rejects: a failure is only logged.
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
 * Makes the signed-in person known by id, email and provider: from then on its
 * events belong to the person, until `forget`. Sends nothing where `track` does not.
 */
export async function identify(user: User): Promise<void> {
  person = user
  await withServices((service) => service.identify(user))
}

/** The next events belong to nobody known, and to nobody who was here before. */
export async function forget(): Promise<void> {
  person = null
  await withServices((service) => service.forget())
}

/** Stops each service as soon as it is there, and removes what it stored, even if it never loads. */
async function withdraw(): Promise<void> {
  removeStored()
  await Promise.all(
    (opened ?? []).map(async (opening) => {
      const service = await opening
      // The answer may have changed again.
      if (!service || readChoice() === 'accepted') return
      service.consent(false)
      removeStored()
    }),
  )
}

/** Acts on the visitor's answer: begins with the page that is open, or stops and forgets. */
export async function applyChoice(): Promise<void> {
  if (readChoice() !== 'accepted') return withdraw()
  await withServices((service) => service.consent(true))
  if (person) await identify(person)
  await track('Page View')
}
