import { site } from '@/config/site'

/** For somebody whose account is disabled. */
export const disabledAccount = {
  title: 'This account is disabled',
  text: () => (
    <>
      Write to <a href={`mailto:${site.emails.support}`}>{site.emails.support}</a> if you think this
      is a mistake.
    </>
  ),
}
