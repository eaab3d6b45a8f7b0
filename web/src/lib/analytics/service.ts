import type { User } from '@/lib/api/types'
import type { PageLocation } from './location'

/** The events of the product. */
export type EventName = 'Page View' | 'Button Click' | 'Form Submission' | 'Error'

/** What an event is about; a page view is about nothing but its page. */
export interface Subject {
  /** What the code calls the control, the form or the problem; of an error the kind. Never free text. */
  label: string
}

/** A loaded analytics service. None of its methods throws or waits for an answer. */
export interface Service {
  track(event: EventName, page: PageLocation, subject?: Subject): void
  /** Attributes the events that follow to this person. */
  identify(person: User): void
  /** Makes the events that follow anonymous, under an id of their own. */
  forget(): void
  /** Records the visitor's consent, or its withdrawal: after that nothing is sent or stored. */
  consent(given: boolean): void
}
