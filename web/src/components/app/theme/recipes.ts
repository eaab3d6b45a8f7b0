import { defineRecipe } from '@chakra-ui/react'

const button = defineRecipe({
  base: {
    display: 'inline-flex',
    alignItems: 'center',
    justifyContent: 'center',
    gap: '2',
    flexShrink: 0,
    border: '1px solid transparent',
    borderRadius: 'md',
    fontFamily: 'sans',
    fontWeight: 600,
    lineHeight: 1.2,
    textDecoration: 'none',
    whiteSpace: 'nowrap',
    transition: 'background var(--duration-fast), border-color var(--duration-fast)',
    _disabled: { opacity: 0.72, cursor: 'not-allowed' },
  },
  variants: {
    variant: {
      solid: {
        bg: 'ember',
        color: 'on-ember',
        _hover: { bg: 'ember-strong', _disabled: { bg: 'sunk' } },
        _disabled: { bg: 'sunk', color: 'quiet', borderColor: 'line', opacity: 1 },
      },
      outline: {
        bg: 'raised',
        color: 'ink',
        borderColor: 'line-strong',
        _hover: { borderColor: 'ink', _disabled: { borderColor: 'line-strong' } },
      },
      ghost: {
        bg: 'transparent',
        color: 'muted',
        _hover: { bg: 'sunk', color: 'ink' },
      },
    },
    size: {
      sm: { minH: 'var(--target-dense)', px: '3', fontSize: 'sm' },
      md: { minH: 'var(--target)', px: '5', fontSize: 'sm' },
      lg: { minH: '3.25rem', px: '6', fontSize: 'md' },
    },
  },
  defaultVariants: { variant: 'solid', size: 'md' },
})

const input = defineRecipe({
  base: {
    width: '100%',
    minW: 0,
    minH: 'var(--target)',
    px: '3',
    bg: 'raised',
    color: 'ink',
    border: '1px solid {colors.line-strong}',
    borderRadius: 'md',
    fontSize: 'sm',
    transition: 'border-color var(--duration-fast)',
    _placeholder: { color: 'quiet', opacity: 1 },
    _hover: { borderColor: 'quiet' },
    _disabled: { opacity: 0.6, cursor: 'not-allowed' },
  },
})

export const recipes = { button, input }
