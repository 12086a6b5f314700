// Runs steps one after the other, says how each went, and stops where going on would mean nothing.

export class Steps {
  passed = 0;
  failed = 0;

  /** A step the later ones build on: when it fails, the run ends. */
  async must(name, work) {
    if (!(await this.try(name, work))) throw new Error(`stopped after: ${name}`);
  }

  /** A step that stands alone. */
  async try(name, work) {
    const begun = Date.now();
    try {
      await work();
      this.passed += 1;
      console.log(`ok    ${name} (${Date.now() - begun} ms)`);
      return true;
    } catch (error) {
      this.failed += 1;
      console.log(`FAIL  ${name}: ${error.message}`);
      return false;
    }
  }

  summary() {
    return `${this.passed} passed, ${this.failed} failed`;
  }
}
