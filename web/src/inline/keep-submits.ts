/**
 * Inline: keeps the submit event of a form that is not hydrated yet, by marking the form `data-submitted`; the form
 * replays it once hydrated.
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
