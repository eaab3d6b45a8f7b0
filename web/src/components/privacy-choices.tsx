/**
 * The footer's way back to the question for consent, an item of its list. Hidden until the analytics
 * know that there is something to choose (src/lib/analytics/ask.ts), which then answers the click.
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
