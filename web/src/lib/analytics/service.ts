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
  /** From here on events belong to this person. */
  identify(person: User): void
  /** From here on events belong to nobody known, and to nobody who was here before. */
  forget(): void
  /** Takes the visitor's consent, or its withdrawal: then nothing is sent or stored any more. */
  consent(given: boolean): void
}
