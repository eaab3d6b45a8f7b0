'use client'

import { chakra } from '@chakra-ui/react'
import { useSupport } from './support-provider'

/** 'Support' among the links of a footer. */
export function SupportButton() {
  const open = useSupport()
  return (
    <LinkLike type="button" onClick={open}>
      Support
    </LinkLike>
  )
}

const LinkLike = chakra('button', {
  base: { p: 0, bg: 'transparent', border: 'none', color: 'inherit', fontSize: 'inherit' },
})
