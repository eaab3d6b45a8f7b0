/**
 * Inline: keeps the last click on a button of an island that is not hydrated yet, as the button's index in
 * `data-clicked` of the island, until it is hydrated (src/islands/hydrate.tsx) or something outside of it is clicked.
 */
export function keepClicks(): void {
  document.addEventListener(
    'click',
    ({ target }) => {
      const clicked = target instanceof Element ? target : null
      for (const other of document.querySelectorAll<HTMLElement>('fledge-island[data-clicked]')) {
        if (!other.contains(clicked)) delete other.dataset.clicked
      }
      const button = clicked?.closest('button')
      const island = button?.closest<HTMLElement>('fledge-island:not([data-hydrated])')
      // The submit event of a form is kept by keep-submits.ts.
      if (!button || !island || button.type === 'submit') return
      island.dataset.clicked = String([...island.querySelectorAll('button')].indexOf(button))
    },
    true,
  )
}
