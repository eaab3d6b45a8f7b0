/**
 * Inline: a form that is submitted before its script runs is marked `data-submitted`, and submits itself as soon
 * as it is hydrated.
 */
export function keepSubmits(): void {
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target
      if (!(form instanceof HTMLFormElement) || !form.hasAttribute('data-keep-submit')) return
      event.preventDefault()
      form.setAttribute('data-submitted', '')
      form.setAttribute('aria-busy', 'true')
    },
    true,
  )
}
