import { defineSlotRecipe } from '@chakra-ui/react'

/** Fingers need larger targets than the dense layout of a pointer. */
const touch = '@media (pointer: coarse)'

const menu = defineSlotRecipe({
  slots: ['content', 'item', 'itemGroupLabel', 'separator'],
  base: {
    content: {
      minW: 'min(14rem, calc(100vw - 2rem))',
      maxW: 'min(22rem, calc(100vw - 2rem))',
      p: '2',
      zIndex: 10,
      bg: 'raised',
      border: '1px solid {colors.line}',
      borderRadius: 'lg',
      boxShadow: 'lift',
      outline: 'none',
      _open: { animation: 'arrive var(--duration-fast) var(--ease-out)' },
    },
    item: {
      display: 'flex',
      alignItems: 'center',
      gap: '2',
      minH: '2.5rem',
      px: '3',
      borderRadius: 'sm',
      fontSize: 'sm',
      color: 'ink',
      cursor: 'pointer',
      outline: 'none',
      textDecoration: 'none',
      [touch]: { minH: 'var(--target)' },
      _highlighted: { bg: 'ember-wash' },
    },
    itemGroupLabel: { px: '3', py: '2', fontSize: 'xs', color: 'quiet' },
    separator: { my: '2', mx: '-2', border: 'none', borderTop: '1px solid {colors.line}' },
  },
})

const toast = defineSlotRecipe({
  slots: ['root', 'title', 'description', 'closeTrigger'],
  base: {
    root: {
      width: 'min(24rem, calc(100vw - 2rem))',
      py: '3',
      ps: '4',
      pe: '10',
      [touch]: { pe: '12' },
      position: 'relative',
      bg: 'raised',
      color: 'ink',
      border: '1px solid {colors.line}',
      borderLeft: '3px solid {colors.positive}',
      borderRadius: 'md',
      boxShadow: 'lift',
      fontSize: 'sm',
      translate: 'var(--x) var(--y)',
      scale: 'var(--scale)',
      zIndex: 'var(--z-index)',
      height: 'var(--height)',
      opacity: 'var(--opacity)',
      transition: 'translate 180ms, scale 180ms, opacity 180ms, height 180ms',
      '&[data-type=error]': { borderLeftColor: 'danger' },
    },
    title: { fontWeight: 600 },
    description: { color: 'muted' },
    closeTrigger: {
      position: 'absolute',
      top: '1',
      insetEnd: '1',
      boxSize: '2rem',
      display: 'grid',
      placeItems: 'center',
      bg: 'transparent',
      border: 'none',
      color: 'quiet',
      [touch]: { top: 0, insetEnd: 0, boxSize: 'var(--target)' },
      _hover: { color: 'ink' },
    },
  },
})

const tooltip = defineSlotRecipe({
  slots: ['content'],
  base: {
    content: {
      display: 'flex',
      alignItems: 'center',
      gap: '2',
      maxW: '18rem',
      px: '3',
      py: '1',
      zIndex: 10,
      bg: 'raised',
      color: 'ink',
      border: '1px solid {colors.line-strong}',
      borderRadius: 'md',
      boxShadow: 'lift',
      fontSize: 'xs',
      pointerEvents: 'none',
    },
  },
})

export const slotRecipes = { menu, toast, tooltip }
