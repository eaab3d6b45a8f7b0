/**
 * Opens the consent banner again, an item of the footer's list. Hidden until src/lib/analytics/consent-banner.ts finds
 * that there is something to consent to and shows it.
 */
export function PrivacyChoices() {
  return (
    <li data-privacy-choices>
      <button type="button" data-event="privacy_choices">
        Privacy choices
      </button>
    </li>
  )
}
