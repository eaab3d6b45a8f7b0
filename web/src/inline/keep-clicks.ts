/**
 * Inline: keeps the last click on a button of an island that is not hydrated yet, as the button's index in
 * `data-clicked` of the island; src/islands/hydrate.tsx replays it.
 */
export function keepClicks(): void {
  document.addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      const island = button?.closest<HTMLElement>('fledge-island:not([data-hydrated])')
      // The submit event of a form is kept by keep-submits.ts.
      if (!button || !island || button.type === 'submit') return
      island.dataset.clicked = String([...island.querySelectorAll('button')].indexOf(button))
    },
    true,
  )
}
