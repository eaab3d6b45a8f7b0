'use client'

import { useSupport } from './support-provider'

/** 'Support' among the links of a footer. */
export function SupportButton() {
  const open = useSupport()
  return (
    <button type="button" onClick={open}>
      Support
    </button>
  )
}
