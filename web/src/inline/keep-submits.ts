/**
 * Inline: keeps the submit event of a form that is not hydrated yet, by marking the form `data-submitted`; the form
 * replays it once hydrated. The browser sends a form whose script does not arrive, or fails.
 */
export function keepSubmits(): void {
  const FAILED_MS = 15_000

  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target
      if (!(form instanceof HTMLFormElement) || !form.hasAttribute('data-keep-submit')) return
      // Shown by retry-scripts.ts: nobody would replay the event.
      const notice = document.getElementById('not-loaded')
      if (notice && !notice.hidden) return
      event.preventDefault()
      form.setAttribute('data-submitted', '')
      form.setAttribute('aria-busy', 'true')
      setTimeout(() => {
        if (form.isConnected && form.hasAttribute('data-submitted')) form.submit()
      }, FAILED_MS)
    },
    true,
  )
}
