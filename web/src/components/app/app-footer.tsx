'use client'

import { chakra, Flex, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { PrivacyChoices } from '../privacy-choices'

/** The foot of the app pages; `support` opens the way to ask for help. */
export function AppFooter({ support }: { support: ReactNode }) {
  return (
    <chakra.footer
      // At the foot of the window where the page is shorter than it.
      position="sticky"
      top="100vh"
      borderTop="1px solid {colors.line}"
      color="muted"
      fontSize="sm"
      // A page that brings a foot of its own needs no second one.
      css={{ 'footer ~ &': { display: 'none' } }}
    >
      <Flex
        wrap="wrap"
        align="center"
        justify="space-between"
        columnGap="8"
        rowGap="2"
        maxW="var(--page)"
        mx="auto"
        px="var(--gutter)"
        py="4"
      >
        <Text>The desktop app requires macOS {site.minimumMacOS} or later.</Text>
        <Links role="list">
          <li>{support}</li>
          <li>
            <a href={paths.blog}>Blog</a>
          </li>
          <li>
            <a href={paths.privacy}>Privacy</a>
          </li>
          <li>
            <a href={paths.terms}>Terms</a>
          </li>
          <PrivacyChoices />
        </Links>
      </Flex>
    </chakra.footer>
  )
}

const Links = chakra('ul', {
  base: {
    display: 'flex',
    flexWrap: 'wrap',
    columnGap: '6',
    '& a, & button': {
      display: 'inline-flex',
      alignItems: 'center',
      minH: 'var(--target)',
      p: 0,
      bg: 'transparent',
      border: 'none',
      textDecoration: 'none',
      _hover: { color: 'ink', textDecoration: 'underline' },
    },
  },
})
