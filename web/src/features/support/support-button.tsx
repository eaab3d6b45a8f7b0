'use client'

import { useSupport } from './support-provider'

/** 'Support' among the links of a footer. */
export function SupportButton() {
  const open = useSupport()
  return (
    <button type="button" data-event="open_support" onClick={open}>
      Support
    </button>
  )
}
